// What is mutated, and by which tests each mutant is judged: those that use no process but their own and go the same way each
// time. Why these and no others: docs/adr/0037.
import { globSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..", "..");

export interface Area {
  readonly name: string;
  /** Below `operator`. */
  readonly mutated: readonly string[];
  /** Below `test`. */
  readonly judges: readonly string[];
}

// Orders and crashes that are generated are left out: what they find once they may miss the next time, and they take long.
const CORE = ["unit/task/*.test.ts", "scenarios/!(crash-anywhere|orders|twins).test.ts"];

export const AREAS: readonly Area[] = [
  { name: "judge", mutated: ["task/judge/*.ts"], judges: CORE },
  { name: "decide", mutated: ["task/decide/*.ts"], judges: CORE },
  { name: "task", mutated: ["task/!(*resource|*parts|fields|rule).ts"], judges: CORE },
  {
    name: "answers",
    mutated: ["providers/{job-id,json,query,reply,retry-after,search,submit}.ts"],
    judges: [
      "unit/providers/{job-id,json,query,query-fields,reply,retry-after,search,search-pages,submit-proof}.test.ts",
    ],
  },
  {
    name: "books",
    mutated: ["postgres/{admission,chain,ledger,load,rows,usage-file}.ts"],
    judges: ["unit/postgres/{admission,chain,facts,ledger,money,usage-file}.test.ts"],
  },
];

/** Throws a sentence that names those that there are. */
export function areaNamed(name: string | undefined): Area {
  const found = AREAS.find((area) => area.name === name);
  if (!found) {
    const names = AREAS.map((area) => area.name).join(", ");
    throw new Error(`cannot mutate the area "${name ?? ""}": there is ${names}`);
  }
  return found;
}

/** Paths from the root of the files that are mutated, in order. */
export function mutatedIn({ mutated }: Area): readonly string[] {
  return globSync([...mutated], { cwd: join(ROOT, "operator") })
    .map((path) => `operator/${path}`)
    .sort();
}

/** Full paths of the test files that judge, in order; of this repository, or of a copy. */
export function judgesOf({ judges }: Area, root = ROOT): readonly string[] {
  const folder = join(root, "test");
  return globSync([...judges], { cwd: folder })
    .map((path) => join(folder, path))
    .sort();
}
