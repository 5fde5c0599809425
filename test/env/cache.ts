// The folder of programs that were built or downloaded once. A program appears there whole or not at all:
// it is made in a folder beside its place, which is then renamed.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const LOOK_AGAIN_MS = 500;

/** `$XDG_CACHE_HOME/generation-operator`, or the same in `~/.cache`. */
export function cacheRoot(variables: Readonly<Record<string, string | undefined>>): string {
  const base = variables.XDG_CACHE_HOME;
  return join(base === undefined || base === "" ? join(homedir(), ".cache") : base, "generation-operator");
}

/** A folder name for what these files pin, on this platform: another version or platform never finds it. */
export function cacheKey(label: string, pinnedBy: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of pinnedBy) hash.update(readFileSync(file)).update("\0");
  return `${label}-${process.platform}-${process.arch}-${hash.digest("hex").slice(0, 12)}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function holderOf(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, "utf8"));
  } catch {
    return undefined;
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

const unfinished = (folder: string) => `.${basename(folder)}.making.`;

/** What processes that were killed while making this folder left behind. */
function removeLeftovers(folder: string): void {
  for (const entry of readdirSync(dirname(folder))) {
    if (!entry.startsWith(unfinished(folder))) continue;
    const maker = Number(entry.slice(unfinished(folder).length).split(".")[0]);
    if (!isAlive(maker)) rmSync(join(dirname(folder), entry), { recursive: true, force: true });
  }
}

/**
 * Makes a folder of the cache, once, whatever the number of processes that ask: `make` fills the folder that it is given.
 * The lock only saves work. Should two take over the lock of a dead process at once, both build and the first rename wins.
 */
export async function makeOnce(
  folder: string,
  make: (into: string) => Promise<void>,
  say: (line: string) => void,
): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const lock = `${folder}.lock`;
  let told = false;
  while (!take(lock)) {
    const holder = holderOf(lock);
    if (holder !== undefined && !isAlive(holder)) {
      rmSync(lock, { force: true });
      continue;
    }
    if (!told) say(`waiting for process ${String(holder)}, which makes ${folder}`);
    told = true;
    await delay(LOOK_AGAIN_MS);
  }
  try {
    if (existsSync(folder)) return;
    removeLeftovers(folder);
    const into = mkdtempSync(join(dirname(folder), `${unfinished(folder)}${process.pid}.`));
    try {
      await make(into);
      renameSync(into, folder);
    } catch (error) {
      rmSync(into, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(lock, { force: true });
  }
}
