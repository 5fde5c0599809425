// The mutants of the SQL in the sources: each lock of a row, each advisory lock and each comparison of terms, taken out in turn.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutant.ts";

interface Pattern {
  readonly kind: string;
  readonly find: RegExp;
  /** What stands there instead. */
  readonly text: string;
  /** How the tests of its kind speak of it. */
  readonly words: readonly string[];
}

// What stands there instead must still take the same parameters, or the statement fails, and that proves nothing.
const PATTERNS: readonly Pattern[] = [
  {
    kind: "lock",
    find: /\sfor (?:no key |key )?(?:update|share)(?: of \w+)?(?: skip locked)?(?=\W)/g,
    text: "",
    words: ["the lock of"],
  },
  { kind: "fence", find: /pg_advisory_xact_lock(?:_shared)?(?=\()/g, text: "num_nonnulls", words: [] },
  { kind: "fence", find: /pg_try_advisory_xact_lock(?=\()/g, text: "0 <> num_nonnulls", words: [] },
  { kind: "fence", find: /\) !== epoch\b/g, text: ") === 0n", words: [] },
];

/** Of the TypeScript files in this folder of the copy, in the order of their places. */
export function mutantsOfSources(root: string, folder: string): readonly Mutant[] {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith(".ts"));
  return files.sort().flatMap((name) => mutantsOfFile(root, join(folder, name)));
}

function mutantsOfFile(root: string, path: string): readonly Mutant[] {
  const source = readFileSync(join(root, path), "utf8");
  return PATTERNS.flatMap(({ find, kind, text, words }) =>
    [...source.matchAll(find)].map((match): Mutant => {
      const { 0: found, index } = match;
      const line = source.slice(0, index).split("\n").length;
      return {
        name: `${kind} ${path}:${line} ${found.trim()}`,
        change: { in: "file", path, from: index, to: index + found.length, text },
        words: [...words, ...wordsAround(source, index)],
      };
    }),
  );
}

/** Tables and functions that are named near it. */
function wordsAround(source: string, index: number): readonly string[] {
  const near = source.slice(Math.max(0, index - 400), index + 200);
  const tables = [...near.matchAll(/genop\.(\w+)/g)].map(([, table = ""]) => table);
  const functions = [...near.matchAll(/function (\w+)/g)].map(([, name = ""]) => name);
  return [...new Set([...functions, ...tables])];
}
