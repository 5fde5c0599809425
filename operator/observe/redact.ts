// What may appear in a log line. Everything that is logged passes here; nothing here decides what is logged.
// Redaction is the second fence: callers already keep bodies, prompts and credentials to themselves.

const SECRET_KEY =
  /^(authorization|cookie|set-cookie|credentials?|passwords?|secrets?|tokens?|api-?key|body|bodies|prompts?|inputs?|headers|quer(y|ies)|signature)$/i;
const URL_TAIL = /\b([a-z][a-z0-9+.-]{1,15}:\/\/)(?:[^\s/@"'<>]*@)?([^\s?#"'<>]*)(?:[?#][^\s"'<>]*)?/gi;
const BEARER = /\b(bearer|basic)\s+[a-z0-9._~+/=-]+/gi;

const MAX_TEXT = 1000;
const MAX_DEPTH = 4;
const MAX_ENTRIES = 40;
const MAX_FRAMES = 12;
const HIDDEN = "[redacted]";

/** A text as it may be logged: URLs without user, query and fragment, no bearer tokens, at most 1000 characters. */
export function redactText(text: string): string {
  const bounded = text.length > MAX_TEXT * 4 ? text.slice(0, MAX_TEXT * 4) : text;
  const clean = bounded.replace(URL_TAIL, "$1$2").replace(BEARER, `$1 ${HIDDEN}`);
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}…` : clean;
}

/** Fields as they may be logged: plain JSON, bounded in size and depth, with the values of telling names hidden. */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactObject(fields, 0);
}

function redactObject(object: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(object).slice(0, MAX_ENTRIES);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, SECRET_KEY.test(key) ? HIDDEN : redactValue(value, depth + 1)]),
  );
}

function redactValue(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return redactText(value);
    case "number":
    case "boolean":
    case "undefined":
      return value;
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : redactReference(value, depth);
    case "function":
    case "symbol":
      return `[${typeof value}]`;
  }
}

function redactReference(value: object, depth: number): unknown {
  if (depth > MAX_DEPTH) return "[…]";
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[no date]" : value.toISOString();
  if (value instanceof URL) return redactText(value.href);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => redactValue(entry, depth + 1));
  return redactObject(value, depth);
}

/** Name, code, message, frames and cause; none of an error's other fields, for a driver's may hold rows or requests. */
function redactError(error: Error, depth: number): Record<string, unknown> {
  const { code, cause, stack } = error as Error & { readonly code?: unknown };
  return {
    name: error.name,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    message: redactText(error.message),
    ...(stack ? { frames: framesOf(stack) } : {}),
    ...(cause === undefined ? {} : { cause: redactValue(cause, depth + 1) }),
  };
}

function framesOf(stack: string): readonly string[] {
  const lines = stack.split("\n").map((line) => line.trim());
  return lines.filter((line) => line.startsWith("at ")).slice(0, MAX_FRAMES);
}
