// How much work an expression can be at most, told from its text: what cannot take long needs no watch over its time.
import type { parse } from "@marcbachmann/cel-js";

type Node = ReturnType<typeof parse>["ast"];

/** What bounds the time of a reading. */
export interface Effort {
  /** How deep loops lie within loops; Infinity where time cannot be told, as with a regular expression. */
  readonly loops: number;
  /** The size of what is read. */
  readonly bytes: number;
}

/** Nobody knows. */
export const UNKNOWN_EFFORT: Effort = { loops: Infinity, bytes: Infinity };

/** A loop over an answer of this size turns 2,000 times at most. */
const SHORT_BYTES = 4096;

/** Surely over within milliseconds: the size of an expression is bounded (expression.ts), and each part is at most one look at all of the text. */
export function isShort({ bytes, loops }: Effort): boolean {
  return loops === 0 || (loops === 1 && bytes <= SHORT_BYTES);
}

/** The deepest of several; what is not there is no work. */
export function deepestOf(parts: readonly ({ readonly loops: number } | undefined)[]): number {
  return Math.max(0, ...parts.map((part) => part?.loops ?? 0));
}

const LOOPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter", "map"]);

const SEARCHES: ReadonlySet<string> = new Set(["contains", "indexOf", "join", "lastIndexOf", "split"]);

/** Time and result grow with what they are given, no faster. `matches` and `bind` are not among them: one can backtrack, one can double. */
const LINEAR: ReadonlySet<string> = new Set(
  "bool bytes contains double dyn duration endsWith has indexOf int join lastIndexOf lowerAscii size split startsWith string substring timestamp trim type uint upperAscii urlEncode".split(
    " ",
  ),
);

/** Of a parsed expression: see Effort. */
export function loopsOf(node: Node): number {
  if (node.op === "call") return isLinear(node.args[0]) ? deepestIn(node.args[1]) : Infinity;
  if (node.op !== "rcall") return deepestIn(node.args);
  const [name, receiver, given] = node.args;
  if (LOOPS.has(name)) return Math.max(loopsOf(receiver), 1 + deepestIn(given));
  // Over a text for each part of another one: a loop, but for a text that stands in the expression itself.
  const isProduct = SEARCHES.has(name) && !given.every(({ op }) => op === "value");
  if (isProduct) return 1 + Math.max(loopsOf(receiver), deepestIn(given));
  return isLinear(name) ? Math.max(loopsOf(receiver), deepestIn(given)) : Infinity;
}

function isLinear(name: string): boolean {
  return LINEAR.has(name);
}

function deepestIn(args: unknown): number {
  if (Array.isArray(args)) return Math.max(0, ...args.map(deepestIn));
  return isNode(args) ? loopsOf(args) : 0;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}
