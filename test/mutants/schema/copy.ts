// A copy of what the tests need, so that a mutant never touches the work tree and nobody's edits disturb a run.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant } from "./mutant.ts";

const COPIED = ["operator", "test", "crds", "jest.config.js", "package.json", "tsconfig.json"];
export const SOURCES = "operator/postgres";
export const TESTS = "test/integration/postgres";

export interface Copy {
  readonly folder: string;
  /** Runs `work` with the mutant's text in its file; in the database it is the tests' own doing. */
  withMutant<T>(mutant: Mutant, work: () => Promise<T>): Promise<T>;
  remove(): void;
}

export function makeCopy(root: string): Copy {
  const folder = mkdtempSync(join(tmpdir(), "genop-schema-mutants-"));
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, ".cache"));
  return {
    folder,
    withMutant: async ({ change }, work) => {
      if (change.in === "database") return work();
      const path = join(folder, change.path);
      const source = readFileSync(path, "utf8");
      writeFileSync(path, source.slice(0, change.from) + change.text + source.slice(change.to));
      try {
        return await work();
      } finally {
        writeFileSync(path, source);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Names the state of sources and tests: what was found out for it holds until one of them changes. */
export function fingerprintOf({ folder }: Copy): string {
  const hash = createHash("sha256");
  for (const part of [SOURCES, TESTS]) {
    const names = readdirSync(join(folder, part), { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.(ts|sql)$/.test(name),
    );
    for (const name of names.sort()) hash.update(name).update(readFileSync(join(folder, part, name)));
  }
  return hash.digest("hex").slice(0, 16);
}
