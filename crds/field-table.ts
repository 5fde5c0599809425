// The field reference of the README: a table per kind between two marks, from the same schema as the definition.
import { objectSchema, type Kind } from "./definition.ts";
import type { Schema } from "./structural.ts";

/** The text with the table of each kind replaced. Throws when a kind has no marks to stand between. */
export function withFieldTables(text: string, kinds: readonly Kind[]): string {
  return kinds.reduce((changed, kind) => between(changed, kind.kind, tableOf(kind)), text);
}

function between(text: string, mark: string, inside: string): string {
  const opening = `<!-- fields of ${mark} -->\n`;
  const closing = `<!-- end of fields of ${mark} -->\n`;
  const from = text.indexOf(opening);
  const to = text.indexOf(closing);
  if (from < 0 || to < from) throw new Error(`cannot write the fields of ${mark}: README.md lacks its marks`);
  return text.slice(0, from + opening.length) + inside + text.slice(to);
}

function tableOf(kind: Kind): string {
  const rows = Object.entries(objectSchema(kind).properties ?? {}).flatMap(([name, schema]) => rowsOf(schema, name));
  return ["| field | value | default | meaning |", "| --- | --- | --- | --- |", ...rows, ""].join("\n");
}

function rowsOf({ properties = {}, required = [] }: Schema, path: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const at = `${path}.${name}${property.items ? "[]" : ""}`;
    return [rowOf(at, property, required.includes(name)), ...rowsOf(property.items ?? property, at)];
  });
}

function rowOf(at: string, property: Schema, required: boolean): string {
  const cells = [
    `\`${at}\``,
    valueOf(property),
    required ? "required" : defaultOf(property),
    property.description ?? "",
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** An object's default is told by its fields. */
function defaultOf({ type, default: value }: Schema): string {
  return value === undefined || type === "object" ? "" : `\`${JSON.stringify(value)}\``;
}

/** The type with its limits, in words. */
function valueOf(schema: Schema): string {
  const { type = "any", enum: options, items, maxItems = 0, maxLength, maxProperties, format } = schema;
  if (options) return options.map((option) => `\`${option}\``).join(" ");
  if (items) return `list of at most ${maxItems}: ${valueOf(items)}`;
  if (maxProperties !== undefined) return `map of at most ${maxProperties}`;
  if (type === "integer") return `integer${rangeOf(schema)}`;
  if (type === "string") return maxLength === undefined ? (format ?? "text") : `text of at most ${maxLength}`;
  return type;
}

function rangeOf({ minimum, maximum }: Schema): string {
  if (maximum !== undefined) return `, ${minimum ?? 0} to ${maximum}`;
  return minimum === undefined ? "" : `, at least ${minimum}`;
}
