// What a process has used so far, read from /proc: Linux only, no part of the process itself.
import { readFileSync } from "node:fs";

export interface Usage {
  readonly cpuSeconds: number;
  readonly residentMb: number;
  readonly peakResidentMb: number;
  /** Read and written by system calls: sockets, and files that are read. */
  readonly ioBytes: number;
}

const TICKS_PER_SECOND = 100; // USER_HZ, on every platform that Node runs on
const KB_PER_MB = 1024;

/** Throws when there is no such process. */
export function usageOf(pid: number): Usage {
  const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, "utf8");
  return { ...cpuOf(read("stat")), ...memoryOf(read("status")), ...ioOf(read("io")) };
}

/** From /proc/PID/stat: all threads, those that have ended too. */
export function cpuOf(stat: string): Pick<Usage, "cpuSeconds"> {
  // The name in brackets may hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return { cpuSeconds: (user + system) / TICKS_PER_SECOND };
}

/** From /proc/PID/status. */
export function memoryOf(status: string): Pick<Usage, "residentMb" | "peakResidentMb"> {
  return { residentMb: numberOf(status, "VmRSS") / KB_PER_MB, peakResidentMb: numberOf(status, "VmHWM") / KB_PER_MB };
}

/** From /proc/PID/io. */
export function ioOf(io: string): Pick<Usage, "ioBytes"> {
  return { ioBytes: numberOf(io, "rchar") + numberOf(io, "wchar") };
}

function numberOf(text: string, name: string): number {
  const value = new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(text)?.[1];
  return value === undefined ? 0 : Number(value);
}

/** The share of the machine's time that it was kept from (a busy host), and the share it was idle, between two readings. */
export interface Load {
  readonly stolen: number;
  readonly idle: number;
}

/** Call it to begin; what it returns tells the shares since then. */
export function watchLoad(): () => Load {
  const before = ticks();
  return () => {
    const now = ticks();
    const spent = now.map((value, at) => value - (before[at] ?? 0));
    const total = spent.reduce((sum, value) => sum + value, 0) || 1;
    return { idle: ((spent[3] ?? 0) + (spent[4] ?? 0)) / total, stolen: (spent[7] ?? 0) / total };
  };
}

function ticks(): readonly number[] {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  return line.split(/\s+/).slice(1, 9).map(Number); // what follows is counted in these already
}
