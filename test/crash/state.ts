// What a run of the crash matrix has found so far, in a file, so that a run that was broken off goes on where it was.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { CaseResult } from "./run-case.ts";

export interface Findings {
  get(title: string): CaseResult | undefined;
  /** On disk when it returns. */
  put(title: string, result: CaseResult): void;
}

/** A finding is kept under the case's title: a changed enumeration finds nothing of what it no longer is. */
export function openFindings(file: string, fresh: boolean): Findings {
  mkdirSync(dirname(file), { recursive: true });
  const found = new Map<string, CaseResult>(fresh || !existsSync(file) ? [] : readFindings(file));
  return {
    get: (title) => found.get(title),
    put: (title, result) => {
      found.set(title, result);
      writeFileSync(`${file}.new`, JSON.stringify([...found]));
      renameSync(`${file}.new`, file);
    },
  };
}

function readFindings(file: string): readonly (readonly [string, CaseResult])[] {
  return JSON.parse(readFileSync(file, "utf8")) as readonly (readonly [string, CaseResult])[];
}
