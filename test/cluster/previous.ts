// The version before this one, from the history of the repository: what a release is upgraded from.
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Say } from "../env/build.ts";
import { cacheRoot, makeOnce } from "../env/cache.ts";

/** Until there is a release: a commit whose image, chart and schema are older than the newest ones. */
export const PREVIOUS = "893d1925f8b537a03f38c153de2e0d8322d8a5a6";
const ROOT = join(import.meta.dirname, "..", "..");

/** Where its files are once `ensurePrevious` has been called. */
export const PREVIOUS_TREE = join(cacheRoot(process.env), `source-${PREVIOUS}`);

/** Its files, in a folder of the cache. Throws where the history of this clone does not reach that far. */
export async function ensurePrevious(say: Say): Promise<string> {
  const known = spawnSync("git", ["cat-file", "-e", PREVIOUS], { cwd: ROOT }).status === 0;
  if (!known)
    throw new Error("cannot build the version before this one: the history of this clone does not reach that far");
  const make = async (into: string): Promise<void> => {
    const archive = join(into, "source.tar");
    execFileSync("git", ["archive", "--output", archive, PREVIOUS], { cwd: ROOT });
    execFileSync("tar", ["--extract", "--file", archive, "--directory", into]);
    rmSync(archive);
    return Promise.resolve();
  };
  await makeOnce(PREVIOUS_TREE, make, say);
  return PREVIOUS_TREE;
}
