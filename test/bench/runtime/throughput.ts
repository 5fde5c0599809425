// One run of one contestant: objects are created at full speed, and it writes a status for each.
import { startContestant, type Contestant } from "./contestant.ts";
import type { Field } from "./field.ts";

export interface Throughput {
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly serverCpuMs: number;
  readonly statusWrites: number;
  readonly bytes: number;
  readonly peakResidentMb: number;
}

export interface Race {
  readonly field: Field;
  readonly count: number;
  readonly workers: number;
  readonly signal: AbortSignal;
}

/** Everything but speed and memory is per object. Throws when the work was not done. */
export async function race(contestant: Contestant, { field, count, workers, signal }: Race): Promise<Throughput> {
  const { namespace, collection } = await field.makeNamespace();
  const running = startContestant(contestant.command({ namespace, writes: count, workers }), field.kubeconfigPath);
  try {
    await running.said("ready", signal);
    const before = await readingsOf(field);
    const used = running.usage();
    const startedMs = performance.now();
    await Promise.all([field.createAll(namespace, count), running.said("done", signal)]);
    const seconds = (performance.now() - startedMs) / 1000;
    const usage = running.usage();
    const after = await readingsOf(field);
    await field.verify(collection, count);
    return {
      perSecond: count / seconds,
      cpuMs: ((usage.cpuSeconds - used.cpuSeconds) * 1000) / count,
      serverCpuMs: ((after.serverCpuSeconds - before.serverCpuSeconds) * 1000) / count,
      statusWrites: (after.statusWrites - before.statusWrites) / count,
      bytes: (usage.ioBytes - used.ioBytes) / count,
      peakResidentMb: usage.peakResidentMb,
    };
  } finally {
    await running.stop();
    if (!signal.aborted) await field.clear(collection, count);
  }
}

async function readingsOf(field: Field): Promise<{ readonly statusWrites: number; readonly serverCpuSeconds: number }> {
  const [statusWrites, serverCpuSeconds] = await Promise.all([field.statusWrites(), field.serverCpuSeconds()]);
  return { statusWrites, serverCpuSeconds };
}
