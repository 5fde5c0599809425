// Preloaded into a process that is measured: how long its event loop stands still, and when it begins to read the whole
// collection of tasks. Writes a line of JSON four times a second into the file that METER_FILE names.
import { channel } from "node:diagnostics_channel";
import { openSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/** One line of the file. */
export type MeterLine =
  | { readonly atMs: number; readonly began: "list" }
  | {
      readonly atMs: number;
      /** The longest gap between two ticks of a 1 ms timer since the line before. */
      readonly stallMs: number;
      /** The most CPU time that the thread used in one such gap: what was its own, not the machine's, doing. */
      readonly stallCpuMs: number;
      readonly residentMb: number;
    };

const TICK_MS = 1;
const LINE_MS = 250;
const BYTES_PER_MB = 2 ** 20;

function begin(path: string): void {
  const file = openSync(path, "a");
  const write = (line: MeterLine): void => void writeSync(file, `${JSON.stringify(line)}\n`);
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [lastMs, lastCpuMs, lineMs] = [performance.now(), cpuMs(), 0];
  let [stallMs, stallCpuMs] = [0, 0];
  const tick = (): void => {
    const [nowMs, nowCpuMs] = [performance.now(), cpuMs()];
    stallMs = Math.max(stallMs, nowMs - lastMs - TICK_MS);
    stallCpuMs = Math.max(stallCpuMs, nowCpuMs - lastCpuMs);
    if (nowMs - lineMs >= LINE_MS) {
      write({ atMs: Date.now(), stallMs, stallCpuMs, residentMb: process.memoryUsage.rss() / BYTES_PER_MB });
      [stallMs, stallCpuMs, lineMs] = [0, 0, nowMs];
    }
    [lastMs, lastCpuMs] = [nowMs, cpuMs()];
    setTimeout(tick, TICK_MS).unref();
  };
  tick();
  channel("undici:request:create").subscribe((message) => {
    const { path: called } = (message as { readonly request: { readonly path: string } }).request;
    const isList = called.includes("/generationtasks?") && called.includes("sendInitialEvents=true");
    if (isList) write({ atMs: Date.now(), began: "list" });
  });
}

const path = process.env.METER_FILE;
if (isMainThread && path !== undefined) begin(path);
