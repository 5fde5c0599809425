// A body as JSON, within limits that are judged before anything walks through it: bytes by the server, depth and the number of
// values here. A value is read by nobody else.
import { Problem } from "../problems.ts";

export const BODY_LIMITS = {
  /** The input alone may have 256 KiB, and JSON may spell a character with six. */
  bytes: 512 * 1024,
  /** The input alone may nest 32 levels, in the spec. */
  depth: 40,
  /** Fields and entries of lists, all levels together. */
  values: 20_000,
} as const;

/** Throws Problem, which quotes nothing of the text. */
export function readBody(text: string): unknown {
  const { depth, values } = measure(text);
  if (depth > BODY_LIMITS.depth) throw refused(`it nests deeper than ${BODY_LIMITS.depth} levels; flatten it`);
  if (values > BODY_LIMITS.values) throw refused(`it has more than ${BODY_LIMITS.values} values; make it smaller`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw refused("it is not JSON");
  }
  if (namesPrototype(body)) throw refused("__proto__ can't be the name of a field; choose another");
  return body;
}

function refused(why: string): Problem {
  return new Problem("invalid-json", { detail: `cannot read the body: ${why}` });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);

/** The deepest nesting and, by commas and brackets, at least the number of values; of any text, JSON or not. */
function measure(text: string): { readonly depth: number; readonly values: number } {
  let [depth, deepest, values, isText] = [0, 0, 1, false];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (OPEN.has(code)) {
      deepest = Math.max(deepest, (depth += 1));
      values += 1;
    } else if (CLOSE.has(code)) depth -= 1;
    else if (code === COMMA) values += 1;
  }
  return { depth: deepest, values };
}

function namesPrototype(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Object.hasOwn(value, "__proto__")) return true;
  return Object.values(value).some(namesPrototype);
}
