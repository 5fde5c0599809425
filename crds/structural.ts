// From zod to the structural schema of apiextensions/v1. Refuses what Kubernetes could not enforce: a field without
// description, and text, lists and maps without a limit (the API server prices its rules by those limits).
import { z } from "zod";
import { CEL_RULES, LIST_KEYS, LIST_TYPE, plainSource } from "../operator/task/rule.ts";

/** The part of JSON schema that zod writes for us and that Kubernetes knows. */
export interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly [LIST_TYPE]?: "map" | "set";
  readonly [LIST_KEYS]?: readonly string[];
  readonly [CEL_RULES]?: readonly CelRule[];
  readonly nullable?: true;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
}

/** A rule as apiextensions/v1 spells it. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
}

type Key = keyof Schema;
const LIMITS: readonly Key[] = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];
const LAST: readonly Key[] = ["maxProperties", LIST_TYPE, LIST_KEYS, CEL_RULES];
const TRANSLATED = ["description", "type", "format", "pattern", "properties", "required", "items", "default", "enum"];
const KNOWN = new Set<string>([...LIMITS, ...LAST, ...TRANSLATED, "$schema", "additionalProperties", "propertyNames"]);
const INT32_MAX = 2_147_483_647;
/** Nulls have to be allowed by name: the API server drops those that are not. */
const ANYTHING: Schema = { nullable: true, "x-kubernetes-preserve-unknown-fields": true };

/** The schema as the API server wants it. Throws, naming the field, when it could not be enforced there. */
export function structural(schema: z.ZodType): Schema {
  return translate(z.toJSONSchema(schema, { io: "input", reused: "inline" }) as Schema, "");
}

function translate(json: Schema, path: string): Schema {
  if (Object.keys(json).length === 0) return ANYTHING;

  const unknown = Object.keys(json).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) throw new Error(`cannot translate ${path}: JSON schema has ${unknown}`);
  if (isUnbounded(json)) throw new Error(`cannot bound ${path}: it has no limit`);
  return {
    ...pick(json, ["description", "type"]),
    ...formatOf(json),
    ...pick(json, ["default", "enum"]),
    ...pick(
      json,
      LIMITS.filter((key) => !isIntegerEdge(json[key])),
    ),
    ...patternOf(json),
    ...insideOf(json, path),
    ...pick(json, LAST),
  };
}

function insideOf(json: Schema, path: string): Schema {
  if (json.items) return { items: translate(json.items, `${path}[]`) };
  if (json.properties) return { properties: propertiesOf(json.properties, path), ...pick(json, ["required"]) };
  if (json.additionalProperties) return { additionalProperties: translate(json.additionalProperties, `${path}.*`) };
  return {};
}

function propertiesOf(properties: Readonly<Record<string, Schema>>, path: string): Readonly<Record<string, Schema>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const at = `${path}.${name}`;
      if (property.description === undefined) throw new Error(`cannot explain ${at}: it has no description`);
      return [name, translate(property, at)];
    }),
  );
}

function isUnbounded(json: Schema): boolean {
  switch (json.type) {
    case "string":
      return (json.maxLength ?? json.enum ?? json.format) === undefined;
    case "array":
      return json.maxItems === undefined;
    case "object":
      return (json.properties ?? json.maxProperties) === undefined;
    default:
      return false;
  }
}

/** zod writes the edges of exact integers; they say nothing that int64 does not. */
function isIntegerEdge(limit: unknown): boolean {
  return limit === Number.MAX_SAFE_INTEGER || limit === Number.MIN_SAFE_INTEGER;
}

function formatOf({ type, format, maximum = Infinity }: Schema): Schema {
  if (type === "integer") return maximum > INT32_MAX ? { format: "int64" } : {};
  return format === undefined ? {} : { format };
}

/** The pattern of a date-time is implied by its format. */
function patternOf({ pattern, format }: Schema): Schema {
  return pattern === undefined || format !== undefined ? {} : { pattern: plainSource(new RegExp(pattern)) };
}

function pick(json: Schema, keys: readonly Key[]): Schema {
  return Object.fromEntries(keys.flatMap((key) => (json[key] === undefined ? [] : [[key, json[key]]])));
}
