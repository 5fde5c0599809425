// Writes docs/reference/values.md from values.yaml and its schema, so that the page has every value and no other, in the words that
// stand beside it. `--check` writes nothing and fails when the page is not current.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMap, isScalar, parseDocument, type Pair, type YAMLMap } from "yaml";

const CHART = join(import.meta.dirname, "generation-operator");
const PAGE = join(import.meta.dirname, "..", "docs", "reference", "values.md");

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

interface Value {
  readonly path: string;
  readonly type: string;
  readonly byDefault: string;
  readonly meaning: string;
}

const HEAD = `# Values

Every value of the chart, from [values.yaml](../../charts/generation-operator/values.yaml) by \`npm run generate\`. What is not here is refused by
[values.schema.json](../../charts/generation-operator/values.schema.json).

<!-- prettier-ignore-start -->
| value | type | default | meaning |
| --- | --- | --- | --- |
`;

const whole = JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8")) as Schema;

function resolved(schema: Schema | undefined): Schema {
  const [, , name = ""] = schema?.$ref?.split("/") ?? [];
  return (name === "" ? schema : (whole.definitions?.[name] ?? whole.$defs?.[name])) ?? {};
}

interface Group {
  readonly schema: Schema;
  readonly path: string;
  /** For values that have no words of their own. */
  readonly meaning: string;
}

/** The values of a map, those of maps inside them in place of the maps. */
function valuesOf(map: YAMLMap, group: Group): readonly Value[] {
  return map.items.flatMap((pair, index) => {
    const name = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const schema = resolved(group.schema.properties?.[name]);
    const path = `${group.path}${name}`;
    const comment = commentOf(pair) || (index === 0 ? (map.commentBefore ?? "") : "");
    const meaning = sentences(comment) || group.meaning;
    if (isMap(pair.value) && pair.value.items.length > 0 && schema.properties) {
      return valuesOf(pair.value, { schema, path: `${path}.`, meaning });
    }
    return [{ path, type: typeOf(schema), byDefault: defaultOf(pair), meaning }];
  });
}

function commentOf({ key }: Pair): string {
  return isScalar(key) ? (key.commentBefore ?? "") : "";
}

/** The last block of a comment: what stands above an empty line is about more than this value. */
function sentences(comment: string): string {
  const blocks = comment.split(/\n\s*\n/);
  return (blocks.at(-1) ?? "")
    .split("\n")
    .map((line) => line.trim())
    .join(" ");
}

function typeOf({ enum: words, maximum, minimum, type = "any" }: Schema): string {
  if (words) return words.map((word) => `\`${String(word)}\``).join(" ");
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${[type].flat().join(" or ")} from ${minimum} on`;
  return [type].flat().join(" or ");
}

function defaultOf({ value }: Pair): string {
  const plain: unknown = isScalar(value) ? value.value : (value as { toJSON?: () => unknown } | null)?.toJSON?.();
  return plain === "" || plain === null || plain === undefined ? "" : `\`${JSON.stringify(plain)}\``;
}

function pageOf(): string {
  const { contents } = parseDocument(readFileSync(join(CHART, "values.yaml"), "utf8"));
  if (!isMap(contents)) throw new Error("cannot read values.yaml: it is no map");
  const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
  const rows = valuesOf(contents, { schema: whole, path: "", meaning: "" }).map(
    ({ byDefault, meaning, path, type }) => `| \`${path}\` | ${cell(type)} | ${cell(byDefault)} | ${cell(meaning)} |\n`,
  );
  return `${HEAD}${rows.join("")}<!-- prettier-ignore-end -->\n`;
}

function main(check: boolean): void {
  const text = pageOf();
  if (check && readFileSync(PAGE, "utf8") !== text) {
    process.stderr.write("not current: docs/reference/values.md; run npm run generate\n");
    process.exitCode = 1;
    return;
  }
  if (!check) writeFileSync(PAGE, text);
}

main(process.argv.includes("--check"));
