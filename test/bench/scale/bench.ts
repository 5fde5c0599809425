// `npm run bench -- scale`: the whole operator over very many tasks, beside a bare streamed list of the same collection.
import { alternate } from "../alternate.ts";
import type { Bench, Required, Result } from "../bench.ts";
import { openLand } from "./land.ts";
import { runBareList, runOperator, type ScaleRun } from "./runs.ts";

/** What fits a quarter of an hour with its size. */
const ROUNDS = 3;
const SIZE = 100_000;
/** Tasks that are polled. Each is asked about every 15 s: as many polls as a tenth, every 30 s. */
const POLLED_SHARE = 0.05;
const OURS = "operator";
const BARE = "bare-list";

export const run: Bench = async ({ rounds = ROUNDS, signal, say, size = SIZE }) => {
  const polled = Math.max(1, Math.round(size * POLLED_SHARE));
  const land = await openLand({ resting: size - polled, polled, signal, say });
  try {
    const contestants = [
      { name: OURS, run: (round: number) => runOperator(land, round, signal) },
      { name: BARE, run: (round: number) => runBareList(land, round, signal) },
    ];
    const measured = await alternate(contestants, { rounds, signal, say });
    return { bench: "scale", setUp: setUpOf(size, polled), results: resultsOf(measured) };
  } finally {
    await land.stop();
  }
};

function setUpOf(size: number, polled: number): readonly string[] {
  return [
    `operator/main.ts with ${size} GenerationTasks of 2 kB: ${polled} at a provider whose jobs never end, asked every 15 s (as many polls as twice the tasks every 30 s), the others suspended.`,
    "A round: the operator starts, reads all, leads, passes over every task while it polls; the API server is killed and started, refuses to go on with the watch (410, seen in the operator's log), and all is read again; the operator is killed and started.",
    "The bare list is one WatchList request, of which name, uid and version are kept. Most tasks are copies of one that the operator itself has reported, put into etcd.",
    "A stall is a gap between two ticks of a 1 ms timer: as the CPU time that the thread used in it, and as it was by the clock, which holds what other processes took.",
  ];
}

const SYNCS = { first: "first sync", again: "relist after 410", restarted: "restart" } as const;

type Runs = ReadonlyMap<string, readonly ScaleRun[]>;

function resultsOf(measured: Runs): readonly Result[] {
  const syncs = (["first", "again", "restarted"] as const).flatMap((which) => {
    const name = SYNCS[which];
    const row = rowOf(measured, name, which);
    return [
      row("time", "s", "seconds", [{ against: BARE, times: 1.25 }]),
      row("longest stall, CPU time", "ms", "stallCpuMs", [{ limit: 40, of: "worst" }]),
      row("longest stall, by the clock", "ms", "stallMs", []),
      row("resident memory", "MB", "residentMb", [{ limit: 300, of: "worst" }]),
    ];
  });
  const told = (measure: string, unit: string, of: (run: ScaleRun) => number): Result => ({
    ...{ measure, unit, better: "less", baselines: {}, required: [] },
    ours: (measured.get(OURS) ?? []).map(of),
  });
  return [
    ...syncs,
    told("polls", "per second", ({ pollsPerSecond }) => pollsPerSecond),
    told("CPU of the operator, a whole round", "s", ({ cpuSeconds }) => cpuSeconds),
  ];
}

function rowOf(measured: Runs, name: string, which: keyof typeof SYNCS) {
  return (what: string, unit: string, key: keyof ScaleRun["first"], required: readonly Required[]): Result => {
    const values = (who: string): readonly number[] => (measured.get(who) ?? []).map((one) => one[which][key]);
    const measure = `${name}: ${what}`;
    return { measure, unit, better: "less", ours: values(OURS), baselines: { [BARE]: values(BARE) }, required };
  };
}
