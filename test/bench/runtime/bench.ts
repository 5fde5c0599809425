// `npm run bench -- runtime`: a status write for each new object. Our runtime beside a bare loop that sends the same requests,
// controller-runtime and @dot-i/k8s-operator; each a process of its own, against one API server, in turns.
import { alternate } from "../alternate.ts";
import type { Bench, BenchOptions, Required, Result } from "../bench.ts";
import { percentileOf } from "../figures.ts";
import { measureCoalescing } from "./coalescing.ts";
import type { Contestant } from "./contestant.ts";
import { bareLoop, bareLoopHttp1, controllerRuntime, dotI, ours, oursApplying } from "./contestants.ts";
import { openField, type Field } from "./field.ts";
import { measureLatency, type Latencies } from "./latency.ts";
import { race, type Throughput } from "./throughput.ts";

const ROUNDS = 5;
const SIZE = 5_000;
const WORKERS = 16;
const LATENCY_SAMPLES = 300;
const COALESCED = { objects: 50, changes: 20 };
const OURS = "ours";
const ROUND_TRIP = "API round trip";

interface Course {
  readonly field: Field;
  readonly options: BenchOptions;
  readonly rounds: number;
  readonly size: number;
}

export const run: Bench = async (options) => {
  const { bare, signal, say, rounds = ROUNDS, size = SIZE } = options;
  const peers = bare ? [] : [await controllerRuntime(say), await dotI(say)];
  const field = await openField(signal, say);
  try {
    const course = { field, options, rounds, size };
    const [fast, slow] = peers;
    return {
      bench: "runtime",
      setUp: setUpOf(course),
      results: [
        ...(await raceAll(course, [ours, bareLoop, ...(fast ? [fast] : [])], slow)),
        ...(await idle(course, [ours, bareLoop, ...(fast ? [fast] : [])])),
        ...(bare ? [] : await variants(course)),
        ...(fast ? await coalescing(course, [ours, fast]) : []),
      ],
    };
  } finally {
    await field.stop();
  }
};

function setUpOf({ rounds, size }: Course): readonly string[] {
  return [
    `${size} objects of 300 bytes are created, 16 at once, while the contestant watches and writes one status each, ${WORKERS} at once.`,
    `Rounds: ${rounds}. Every status is read back and compared. The bench's own CPU (creation) is the same for all contestants.`,
    `@dot-i/k8s-operator works on one event after another, so it gets ${slowSize(size)} objects: its speed does not depend on their number.`,
  ];
}

const slowSize = (size: number): number => Math.max(20, Math.round(size / 10));
const variantSize = (size: number): number => Math.max(20, Math.round(size / 5));

async function raceAll(
  course: Course,
  contestants: readonly Contestant[],
  slow?: Contestant,
): Promise<readonly Result[]> {
  const { field, size, options, rounds } = course;
  const racing = (contestant: Contestant, count: number) => ({
    name: contestant.name,
    run: () => race(contestant, { field, count, workers: WORKERS, signal: options.signal }),
  });
  const all = [...contestants.map((one) => racing(one, size)), ...(slow ? [racing(slow, slowSize(size))] : [])];
  const measured = await alternate(all, { rounds, signal: options.signal, say: options.say });
  const row = (
    measure: string,
    unit: string,
    of: (run: Throughput) => number,
    better: "more" | "less" = "less",
  ): Result => rowOf(measured, { measure, unit, of, better });
  return [
    { ...row("throughput", "objects/s", (of) => of.perSecond, "more"), required: THROUGHPUT },
    row("CPU of the contestant", "ms/object", (of) => of.cpuMs),
    row("CPU of API server and etcd", "ms/object", (of) => of.serverCpuMs),
    row("status writes", "per object", (of) => of.statusWrites),
    row("bytes read and written", "per object", (of) => of.bytes),
    row("peak resident memory", "MB", (of) => of.peakResidentMb),
  ];
}

const THROUGHPUT: readonly Required[] = [
  { against: "bare-loop", times: 0.9 },
  { against: "controller-runtime", times: 1 },
  { against: "@dot-i/k8s-operator", times: 10 },
];

interface Row<T> {
  readonly measure: string;
  readonly unit: string;
  readonly better: "more" | "less";
  readonly of: (run: T) => number;
}

function rowOf<T>(measured: ReadonlyMap<string, readonly T[]>, { measure, unit, better, of }: Row<T>): Result {
  const values = [...measured].map(([name, runs]): [string, readonly number[]] => [name, runs.map(of)]);
  const { [OURS]: own = [], ...baselines } = Object.fromEntries(values);
  return { measure, unit, better, ours: own, baselines, required: [] };
}

async function idle(
  { field, options, rounds, size }: Course,
  contestants: readonly Contestant[],
): Promise<readonly Result[]> {
  const { signal, say } = options;
  const samples = Math.min(LATENCY_SAMPLES, size);
  const measured = await alternate(
    contestants.map((contestant) => ({
      name: contestant.name,
      run: () => measureLatency(contestant, { field, samples, workers: WORKERS, signal }),
    })),
    { rounds, signal, say: (line) => say(`idle, ${line}`) },
  );
  const row = (measure: string, share: number): Result => {
    const result = rowOf<Latencies>(measured, {
      ...{ measure, unit: "ms", better: "less" },
      of: ({ reconcileMs }) => percentileOf(reconcileMs, share),
    });
    const trips = (measured.get(OURS) ?? []).map(({ roundTripMs }) => percentileOf(roundTripMs, share));
    return { ...result, baselines: { [ROUND_TRIP]: trips, ...result.baselines } };
  };
  return [
    row("latency when idle, median", 0.5),
    { ...row("latency when idle, p99", 0.99), required: [{ against: ROUND_TRIP, times: 1.5 }] },
  ];
}

/** How a status is written, and over what. */
async function variants({ field, options, rounds, size }: Course): Promise<readonly Result[]> {
  const { signal, say } = options;
  const count = variantSize(size);
  const contestants = [ours, oursApplying, bareLoop, bareLoopHttp1].map((contestant) => ({
    name: contestant.name,
    run: () => race(contestant, { field, count, workers: WORKERS, signal }),
  }));
  const measured = await alternate(contestants, { rounds, signal, say: (line) => say(`variants, ${line}`) });
  const speeds = (name: string): readonly number[] => (measured.get(name) ?? []).map(({ perSecond }) => perSecond);
  const row = (measure: string, own: Contestant, other: Contestant): Result => ({
    ...{ measure, unit: "objects/s", better: "more", required: [] },
    ...{ ours: speeds(own.name), baselines: { [other.name]: speeds(other.name) } },
  });
  return [
    row(`merge patch, ${count} objects`, ours, oursApplying),
    row(`bare loop over HTTP/2, ${count} objects`, bareLoop, bareLoopHttp1),
  ];
}

async function coalescing(
  { field, options, rounds }: Course,
  contestants: readonly Contestant[],
): Promise<readonly Result[]> {
  const { signal, say } = options;
  const measured = await alternate(
    contestants.map((contestant) => ({
      name: contestant.name,
      run: () => measureCoalescing(contestant, { ...COALESCED, field, workers: WORKERS, signal }),
    })),
    { rounds, signal, say: (line) => say(`coalescing, ${line}`) },
  );
  const { objects, changes } = COALESCED;
  const measure = `status writes, ${changes} changes each of ${objects} objects`;
  return [rowOf(measured, { measure, unit: "per change", better: "less", of: (writes: number) => writes })];
}
