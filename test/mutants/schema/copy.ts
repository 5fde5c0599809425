// A copy of what the tests need, so that a mutant never touches the work tree and nobody's edits disturb a run.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant } from "./mutant.ts";

const COPIED = ["operator", "test", "crds", "docs", "jest.config.js", "package.json", "tsconfig.json"];
export const SOURCES = "operator/postgres";
export const TESTS = "test/integration/postgres";

type Change = Mutant["change"] | undefined;

export interface Copy {
  readonly folder: string;
  /** Runs `work` with the mutant's text in its file; in the database it is the tests' own doing. */
  withMutant<T>(mutant: Mutant, work: () => Promise<T>): Promise<T>;
  /** Runs `work` without the mutant that is in it now. */
  asItWas<T>(work: () => Promise<T>): Promise<T>;
  remove(): void;
}

export function makeCopy(root: string): Copy {
  const folder = mkdtempSync(join(tmpdir(), "genop-schema-mutants-"));
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, ".cache"));
  const state: { change: Change } = { change: undefined };
  const within = async <T>(change: Change, work: () => Promise<T>): Promise<T> => {
    const before = state.change;
    write(before, change);
    state.change = change;
    try {
      return await work();
    } finally {
      write(change, before);
      state.change = before;
    }
  };
  const originals = new Map<string, string>();
  const write = (leaves: Change, comes: Change): void => {
    if (leaves?.in === "file") writeFileSync(join(folder, leaves.path), originals.get(leaves.path) ?? "");
    if (comes?.in !== "file") return;
    const path = join(folder, comes.path);
    const source = readFileSync(path, "utf8");
    originals.set(comes.path, source);
    writeFileSync(path, source.slice(0, comes.from) + comes.text + source.slice(comes.to));
  };
  return {
    folder,
    withMutant: ({ change }, work) => within(change, work),
    asItWas: (work) => within(undefined, work),
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
