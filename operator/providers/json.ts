// JSON between CEL's values and the wire. Reading keeps integers that a double cannot hold; writing knows CEL's integers.

const MAX_DEPTH = 64;
// Sixteen digits and more may not fit a double; only texts with such a run pay for looking at every number's source.
const LONG_INTEGER = /[0-9]{16}/;
const INTEGER = /^-?[0-9]+$/;

/** The value, or undefined when the bytes are not JSON. Integers beyond 2^53 come as bigint: a job id must not be rounded. */
export function readJson(bytes: Uint8Array): unknown {
  const text = new TextDecoder("utf-8").decode(bytes);
  try {
    return LONG_INTEGER.test(text) ? (JSON.parse(text, keepInteger as JsonReviver) as unknown) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

type JsonReviver = Parameters<typeof JSON.parse>[1];

function keepInteger(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  const isRounded = typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined;
  return isRounded && INTEGER.test(source) ? BigInt(source) : value;
}

/** JSON text of a value that CEL made. Throws when it holds what JSON has no form for, or is nested too deep. */
export function writeJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new Error("cannot write JSON: it is nested too deep");
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      if (!Number.isFinite(value)) throw new Error("cannot write JSON: a number is not finite");
      return JSON.stringify(value);
    case "object":
      return value === null ? "null" : writeComposite(value, depth + 1);
    default:
      throw new Error(`cannot write JSON: it has no form for ${typeof value}`);
  }
}

function writeComposite(value: object, depth: number): string {
  if (Array.isArray(value)) return `[${value.map((item: unknown) => writeJson(item, depth)).join(",")}]`;
  if (isTimestamp(value)) return JSON.stringify(value);
  const pairs = entriesOf(value)?.map(([key, item]) => `${JSON.stringify(String(key))}:${writeJson(item, depth)}`);
  if (!pairs) throw new Error("cannot write JSON: it has no form for this type");
  return `{${pairs.join(",")}}`;
}

const tagOf = (value: object): string => Object.prototype.toString.call(value);
const isTimestamp = (value: object): boolean => tagOf(value) === "[object Date]";

function entriesOf(value: object): readonly (readonly [unknown, unknown])[] | undefined {
  if (tagOf(value) === "[object Map]") return [...(value as Map<unknown, unknown>)];
  return isPlain(value) ? Object.entries(value) : undefined;
}

// Objects of another realm have another Object.prototype; what they have in common is that nothing lies behind it.
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A field of a map, own fields only. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (tagOf(value) === "[object Map]") return (value as Map<unknown, unknown>).get(name);
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
