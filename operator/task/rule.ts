// Constraints that zod and the API server both judge. Each is written once, in the two languages side by side, so that
// neither can refuse what the other takes; crds/ reads the CEL from the schema's metadata.
import type { z } from "zod";

/** One constraint on a value. The two sides must agree on every value that the schema itself lets through. */
export interface Rule<Value> {
  /** CEL over `self`, evaluated by the API server. */
  readonly cel: string;
  /** The same in TypeScript. Total: it never throws. */
  readonly holds: (value: Value) => boolean;
  /** "cannot <do what>: <why, and the way out>". */
  readonly message: string;
  /** The field at fault, when it is not the value itself. */
  readonly field?: string;
}

export const CEL_RULES = "x-kubernetes-validations";
export const LIST_TYPE = "x-kubernetes-list-type";
export const LIST_KEYS = "x-kubernetes-list-map-keys";

/** The schema with rules added: zod issues with the rule's message, and CEL in its metadata. */
export function obeying<Schema extends z.ZodType>(schema: Schema, rules: readonly Rule<z.output<Schema>>[]): Schema {
  const known = (schema.meta()?.[CEL_RULES] ?? []) as readonly unknown[];
  return schema
    .superRefine((value, context) => {
      for (const { holds, message, field } of rules) {
        if (!holds(value)) context.addIssue({ code: "custom", message, path: field === undefined ? [] : [field] });
      }
    })
    .meta({ [CEL_RULES]: [...known, ...rules.map(celOf)] });
}

function celOf({ cel, message, field }: Rule<never>): object {
  return { rule: cel, message, ...(field !== undefined && { fieldPath: `.${field}` }) };
}

/** Text of this form. The message is for people, the pattern for their tools. The pattern may hold no quote. */
export function matching(schema: z.ZodString, pattern: RegExp, message: string): z.ZodString {
  const cel = `self.matches(r'${plainSource(pattern)}')`;
  return schema.regex(pattern, message).meta({ [CEL_RULES]: [{ rule: cel, message }] });
}

/** A pattern as RE2 and CEL spell it: the slash has no meaning there. */
export function plainSource(pattern: RegExp): string {
  return pattern.source.replaceAll("\\/", "/");
}

/** A list in which each value of this field appears once, so that server-side apply merges it by that field. */
export function keyedBy<Key extends string, Item extends z.ZodType<Readonly<Record<Key, unknown>>>>(
  list: z.ZodArray<Item>,
  key: Key,
): z.ZodArray<Item> {
  return list
    .refine((items) => isDistinct(items.map((item) => item[key])), `cannot list the same ${key} twice: drop one entry`)
    .meta({ [LIST_TYPE]: "map", [LIST_KEYS]: [key] });
}

/** A list of scalars, each of which appears once. */
export function distinct<Item extends z.ZodType<string>>(list: z.ZodArray<Item>): z.ZodArray<Item> {
  return list.refine(isDistinct, "cannot list the same value twice: drop one").meta({ [LIST_TYPE]: "set" });
}

function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/** A map of at most this many entries. */
export function atMost<Schema extends z.ZodRecord>(map: Schema, maxProperties: number): Schema {
  const message = `cannot hold more than ${maxProperties} entries: drop some`;
  return map.refine((value) => Object.keys(value).length <= maxProperties, message).meta({ maxProperties });
}
