// One run of one contestant: everything that is counted, taken at the first write and after the last end.
import { watchAll } from "./audience.ts";
import type { Contestant, Worker } from "./contestants.ts";
import { openStage, providerCalls, type Stage } from "./stage.ts";

export interface Run {
  readonly perSecond: number;
  readonly writes: number;
  readonly mostWrites: number;
  readonly events: number;
  readonly transactions: number;
  readonly reads: number;
  readonly bytes: number;
  readonly cpuMs: number;
  readonly peakResidentMb: number;
  readonly serverCpuMs: Readonly<Record<string, number>>;
  readonly providerCalls: Readonly<Record<string, number>>;
}

/** However many tasks: a run that takes longer has come to a halt. */
const LIMIT_MS = 600_000;

export async function measure(contestant: Contestant, tasks: number, signal: AbortSignal): Promise<Run> {
  const stage = await openStage(tasks, signal);
  try {
    return await measureOn(stage, contestant, {
      tasks,
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    });
  } finally {
    await stage.stop();
  }
}

interface Course {
  readonly tasks: number;
  readonly signal: AbortSignal;
}

async function measureOn(stage: Stage, contestant: Contestant, { signal, tasks }: Course): Promise<Run> {
  const audience = await watchAll(stage.api, tasks);
  const before = await counts(stage);
  const worker = contestant.start(stage);
  try {
    await first(worker, audience.begun, signal);
    const [began, serversBegan] = [worker.usage(), await stage.serverCpuSeconds()];
    await first(worker, audience.ended, signal);
    const [ended, serversEnded] = [worker.usage(), await stage.serverCpuSeconds()];
    await worker.stop();
    const after = await counts(stage);
    const { bytes, seconds, writes } = audience.tally();
    const perTask = (count: number): number => count / tasks;
    return {
      perSecond: tasks / seconds,
      writes: perTask(sum(writes)),
      mostWrites: Math.max(...writes),
      bytes: sum(bytes) / bytes.length,
      events: perTask(after.events),
      transactions: perTask(after.transactions - before.transactions),
      reads: perTask(after.reads - before.reads),
      cpuMs: perTask((ended.cpuSeconds - began.cpuSeconds) * 1000),
      peakResidentMb: ended.peakResidentMb,
      serverCpuMs: differences(serversBegan, serversEnded, (seconds_) => perTask(seconds_ * 1000)),
      providerCalls: differences({}, await providerCalls(stage.environment), perTask),
    };
  } finally {
    audience.close();
    await worker.stop().catch(() => undefined);
  }
}

async function counts(stage: Stage): Promise<{ transactions: number; events: number; reads: number }> {
  const [transactions, events, reads] = await Promise.all([
    stage.transactions(),
    stage.events(),
    stage.taskRequests("GET"),
  ]);
  return { transactions, events, reads };
}

/** Resolves with the event, or rejects as soon as it can't come any more. */
async function first(worker: Worker, event: Promise<void>, signal: AbortSignal): Promise<void> {
  const given = Promise.withResolvers<never>();
  const give = (): void => given.reject(signal.reason instanceof Error ? signal.reason : new Error("interrupted"));
  if (signal.aborted) give();
  signal.addEventListener("abort", give, { once: true });
  try {
    await Promise.race([event, worker.failed, given.promise]);
  } finally {
    signal.removeEventListener("abort", give);
  }
}

function differences(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
  of: (difference: number) => number,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, of(value - (before[name] ?? 0))]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
