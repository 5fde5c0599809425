// What the meter of a process has written, within a span of time.
import { readFileSync } from "node:fs";
import type { MeterLine } from "./meter.ts";

export interface Span {
  /** Wall-clock milliseconds, of the same machine. */
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Metered {
  readonly stallMs: number;
  readonly stallCpuMs: number;
  readonly residentMb: number;
}

/** The variables that preload the meter. */
export function meterVariables(file: string): Readonly<Record<string, string>> {
  return { METER_FILE: file, NODE_OPTIONS: `--import=${import.meta.resolve("./meter.ts")}` };
}

/** The worst of each within the span. */
export function worstWithin(lines: readonly MeterLine[], { fromMs, untilMs }: Span): Metered {
  const worst = { stallMs: 0, stallCpuMs: 0, residentMb: 0 };
  for (const line of lines) {
    if ("began" in line || line.atMs < fromMs || line.atMs > untilMs) continue;
    worst.stallMs = Math.max(worst.stallMs, line.stallMs);
    worst.stallCpuMs = Math.max(worst.stallCpuMs, line.stallCpuMs);
    worst.residentMb = Math.max(worst.residentMb, line.residentMb);
  }
  return worst;
}

/** When the list that ended at `endedMs` was asked for. Throws when none was. */
export function listBegan(lines: readonly MeterLine[], endedMs: number): number {
  const began = lines.findLast((line) => "began" in line && line.atMs <= endedMs);
  if (!began) throw new Error("cannot tell how long the list took: nothing says when it began");
  return began.atMs;
}

export function readMeter(file: string): readonly MeterLine[] {
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1); // the last one may be half written
  return lines.map((line) => JSON.parse(line) as MeterLine);
}
