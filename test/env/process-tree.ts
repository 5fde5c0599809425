// The descendants of a process. Postgres puts each of its children into a session of its own, so that
// signals to a process group do not reach them.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";

type Pair = readonly [pid: number, parent: number];

function pairsOfProc(): readonly Pair[] {
  return readdirSync("/proc").flatMap((entry): readonly Pair[] => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const parent = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
      return [[Number(entry), Number(parent)]];
    } catch {
      return []; // it ended while we were reading
    }
  });
}

function pairsOfPs(): readonly Pair[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line): Pair => {
    const [pid, parent] = line.trim().split(/\s+/);
    return [Number(pid), Number(parent)];
  });
}

/** The process ids below `root`, parents before children, without `root` itself. */
export function descendantsOf(root: number): readonly number[] {
  const pairs = existsSync("/proc/self/stat") ? pairsOfProc() : pairsOfPs();
  const found = [root];
  for (const parent of found) found.push(...pairs.filter(([, above]) => above === parent).map(([pid]) => pid));
  return found.slice(1);
}

/** Sends a signal to a process, then to all that descend from it. A process that is gone already is no error. */
export function signalTree(root: number, signal: NodeJS.Signals): void {
  for (const pid of [root, ...descendantsOf(root)]) {
    try {
      process.kill(pid, signal);
    } catch {
      // gone already
    }
  }
}
