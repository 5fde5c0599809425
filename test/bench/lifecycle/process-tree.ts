// The CPU of a process with its children: Postgres works in processes of its own for each connection.
import { readFileSync, readdirSync } from "node:fs";

const TICKS_PER_SECOND = 100; // USER_HZ, on every platform that Node runs on

interface Stat {
  readonly parent: number;
  /** Of the process itself and of its children that have ended. */
  readonly ticks: number;
}

/** Seconds used by the process, its children, and those of them that have ended and were waited for. */
export function cpuOfTree(pid: number): number {
  const stats = readdirSync("/proc").flatMap((name) => {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    return stat ? [{ pid: Number(name), ...stat }] : [];
  });
  const ticks = stats.filter((one) => one.pid === pid || one.parent === pid).reduce((sum, one) => sum + one.ticks, 0);
  return ticks / TICKS_PER_SECOND;
}

function statOf(pid: number): Stat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined; // it has ended meanwhile
  }
}

/** From the text of /proc/PID/stat. */
export function parseStat(text: string): Stat {
  // The name in brackets may hold spaces and brackets.
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { parent: fields[1] ?? 0, ticks: user + system + childUser + childSystem };
}
