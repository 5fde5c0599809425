// One run of the operator over all tasks, and one of the bare list: each reads the whole collection twice, the second time from an
// API server that was killed and started again, which knows nothing of what was watched before.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startOperator, type LogLine, type OperatorProcess } from "../../operator/process.ts";
import { usageOf } from "../process-usage.ts";
import { VARIABLES, type Land } from "./land.ts";
import type { MeterLine } from "./meter.ts";
import { listBegan, meterVariables, readMeter, worstWithin, type Metered } from "./metered.ts";

export interface Sync extends Metered {
  readonly seconds: number;
}

export interface ScaleRun {
  /** From a cold start. */
  readonly first: Sync;
  /** After the API server has refused to go on with the watch (410): nothing else makes the operator read all again so soon. */
  readonly again: Sync;
  /** Of a process that was killed in the midst of its work. */
  readonly restarted: Sync;
  /** Of jobs, by the operator, after its first sync. */
  readonly pollsPerSecond: number;
  readonly cpuSeconds: number;
}

/** How long the consequences of a sync are watched: passes over every task, and polls. */
const WATCH_MS = { first: 20_000, again: 10_000, restarted: 5_000 };

export async function runOperator(land: Land, round: number, signal: AbortSignal): Promise<ScaleRun> {
  const { environment, provider } = land;
  const file = join(environment.folder, `meter-operator-${round}`);
  const writtenBefore = await land.writes();
  const operator = startMetered(land, file);
  try {
    const first = await listed(operator, { land, afterMs: 0, signal });
    const [queries, fromMs] = [provider.queries(), Date.now()];
    await delay(WATCH_MS.first, undefined, { signal });
    const untilMs = Date.now();
    hasRested(land, (await land.writes()) - writtenBefore);
    const pollsPerSecond = ((provider.queries() - queries) * 1000) / (untilMs - fromMs);
    await land.restartApiServer();
    const again = await listed(operator, { land, afterMs: untilMs, signal });
    await refused(operator, untilMs);
    await delay(WATCH_MS.again, undefined, { signal });
    const { cpuSeconds } = usageOf(operator.pid);
    const lines = readMeter(file);
    operator.kill("SIGKILL");
    await operator.ended;
    const restarted = await restart(land, `${file}-restarted`, signal);
    return {
      ...{ restarted, pollsPerSecond, cpuSeconds },
      first: syncOf(lines, first, untilMs),
      again: syncOf(lines, again, Date.now()),
    };
  } finally {
    await operator.stop();
  }
}

/** A pass over a task that rests writes nothing: else it is writes that are measured. */
function hasRested({ tasks }: Land, writes: number): void {
  if (writes > tasks / 100) throw new Error(`cannot compare: ${writes} writes to ${tasks} tasks that need none`);
}

async function restart(land: Land, file: string, signal: AbortSignal): Promise<Sync> {
  const operator = startMetered(land, file);
  try {
    const end = await listed(operator, { land, afterMs: 0, signal });
    await delay(WATCH_MS.restarted, undefined, { signal });
    return syncOf(readMeter(file), end, Date.now());
  } finally {
    await operator.stop();
  }
}

function startMetered({ environment, installation }: Land, file: string): OperatorProcess {
  const logFile = join(environment.folder, "logs", "operator.log");
  const meter = meterVariables(file);
  const NODE_OPTIONS = `${meter.NODE_OPTIONS ?? ""} ${imageOptions()}`;
  return startOperator(installation, { variables: { ...VARIABLES, ...meter, NODE_OPTIONS }, logFile });
}

/** What the image gives Node. */
export function imageOptions(): string {
  const dockerfile = readFileSync(join(import.meta.dirname, "..", "..", "..", "Dockerfile"), "utf8");
  const [, options] = /NODE_OPTIONS=(\S+)/.exec(dockerfile) ?? [];
  if (options === undefined)
    throw new Error("cannot tell how the operator is started: the Dockerfile sets no NODE_OPTIONS");
  return options;
}

function syncOf(lines: readonly MeterLine[], endMs: number, watchedUntilMs: number): Sync {
  const beganMs = listBegan(lines, endMs);
  return { seconds: (endMs - beganMs) / 1000, ...worstWithin(lines, { fromMs: beganMs, untilMs: watchedUntilMs }) };
}

/** Throws unless the server has refused to go on with the watch since then. */
async function refused(operator: OperatorProcess, sinceMs: number): Promise<void> {
  const isRefusal = (line: LogLine): boolean =>
    line.event === "watch.restarted" &&
    line.name === "tasks" &&
    timeOf(line) > sinceMs &&
    /\b410\b/.test(JSON.stringify(line.error));
  await operator.logged(isRefusal, AbortSignal.timeout(1_000)).catch((error: unknown) => {
    throw new Error("the tasks were read again, but no watch was refused with 410", { cause: error });
  });
}

function timeOf({ time }: LogLine): number {
  return Date.parse(String(time));
}

interface Wanted {
  readonly land: Land;
  readonly afterMs: number;
  readonly signal: AbortSignal;
}

/** When the operator had every task in its cache. */
async function listed(operator: OperatorProcess, { land, afterMs, signal }: Wanted): Promise<number> {
  const isIt = (line: LogLine): boolean =>
    line.event === "watch.listed" && line.name === "tasks" && timeOf(line) > afterMs;
  const line = await operator.logged(isIt, signal);
  if (line.objects !== land.tasks) throw new Error(`the operator has ${String(line.objects)} of ${land.tasks} tasks`);
  return timeOf(line);
}

export async function runBareList(land: Land, round: number, signal: AbortSignal): Promise<ScaleRun> {
  const first = await bareList(land, `meter-bare-${round}-first`, signal);
  await land.restartApiServer();
  const again = await bareList(land, `meter-bare-${round}-again`, signal);
  return { first, again, restarted: first, pollsPerSecond: 0, cpuSeconds: 0 };
}

async function bareList({ environment, tasks }: Land, name: string, signal: AbortSignal): Promise<Sync> {
  const file = join(environment.folder, name);
  const main = join(import.meta.dirname, "bare-watch-list.ts");
  const { adminToken, apiServerUrl, caFile } = environment;
  const child = spawn(process.execPath, [main, apiServerUrl, caFile, adminToken], {
    env: { PATH: process.env.PATH, ...meterVariables(file) },
    stdio: ["ignore", "pipe", "inherit"],
    signal,
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await once(child, "close");
  const [word, at, count] = output.trim().split(" ");
  if (word !== "listed" || Number(count) !== tasks)
    throw new Error(`the bare list has ${count ?? 0} of ${tasks} tasks`);
  return syncOf(readMeter(file), Number(at), Number(at));
}
