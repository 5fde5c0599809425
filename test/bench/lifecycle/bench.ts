// `npm run bench -- lifecycle`: tasks from their creation to their published output, by the operator and by a bare loop that makes the
// same calls to the same real parts. Each run has an environment of its own.
import { alternate } from "../alternate.ts";
import type { Bench, Required, Result } from "../bench.ts";
import { AT_ONCE, bareLoop, operator, type Contestant } from "./contestants.ts";
import { measure, type Run } from "./run.ts";

const ROUNDS = 5;
const SIZE = 2_000;

export const run: Bench = async ({ rounds = ROUNDS, signal, size = SIZE, say }) => {
  const racing = (contestant: Contestant) => ({ name: contestant.name, run: () => measure(contestant, size, signal) });
  const measured = await alternate([racing(operator), racing(bareLoop)], { rounds, signal, say });
  return {
    bench: "lifecycle",
    setUp: [
      `${size} tasks with one output of 10 kB, whose jobs are done at once, ${AT_ONCE} in work at once; ${rounds} rounds, an environment for each run.`,
      "Measured from the first write to a task to the last task's end, as a watch tells them; starts and the creation of the tasks are left out.",
      "The bare loop makes the same calls in the same order: the operator's own SQL statements, plain clients for all else. It knows no fault, inspects no media, watches nothing.",
      "Transactions are all of the process's connections from its start to its end.",
    ],
    results: resultsOf(measured),
  };
};

function resultsOf(measured: ReadonlyMap<string, readonly Run[]>): readonly Result[] {
  const row = (name: string, unit: string, of: (run: Run) => number, required: readonly Required[] = []): Result => ({
    ...{ measure: name, unit, better: "less", required },
    ours: (measured.get(operator.name) ?? []).map(of),
    baselines: { [bareLoop.name]: (measured.get(bareLoop.name) ?? []).map(of) },
  });
  const atMost = (limit: number): readonly Required[] => [{ limit, of: "worst" }];
  return [
    {
      ...row("throughput", "tasks/s", ({ perSecond }) => perSecond),
      ...{ better: "more", required: [{ against: bareLoop.name, times: 0.8 }] },
    },
    row("writes to a task's object", "per task", ({ writes }) => writes, atMost(4)),
    row("writes to the object of the worst task", "", ({ mostWrites }) => mostWrites),
    row("events", "per task", ({ events }) => events, atMost(2)),
    row("SQL transactions", "per task", ({ transactions }) => transactions, atMost(8)),
    row("single reads of tasks", "per task", ({ reads }) => reads),
    row("size of a finished object", "bytes", ({ bytes }) => bytes),
    row("CPU of the process", "ms/task", ({ cpuMs }) => cpuMs),
    row("peak resident memory of the process", "MB", ({ peakResidentMb }) => peakResidentMb),
    ...serversOf(measured).map((name) =>
      row(`CPU of ${name}`, "ms/task", ({ serverCpuMs }) => serverCpuMs[name] ?? Number.NaN),
    ),
    ...operationsOf(measured).map((name) =>
      row(`provider calls: ${name}`, "per task", ({ providerCalls }) => providerCalls[name] ?? 0),
    ),
  ];
}

function serversOf(measured: ReadonlyMap<string, readonly Run[]>): readonly string[] {
  return Object.keys(measured.get(operator.name)?.[0]?.serverCpuMs ?? {});
}

function operationsOf(measured: ReadonlyMap<string, readonly Run[]>): readonly string[] {
  const names = [...measured.values()].flat().flatMap(({ providerCalls }) => Object.keys(providerCalls));
  return [...new Set(names)].sort();
}
