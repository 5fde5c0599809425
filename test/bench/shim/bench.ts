// `npm run bench -- shim`: the REST face beside a bare route that makes the same call, event streams on which nothing is said, and how
// soon a provider has what was just asked for, by kubectl's way and by REST.
import { alternate } from "../alternate.ts";
import type { Bench, Required, Result } from "../bench.ts";
import { AT_ONCE, measureCreates, type CreateRun } from "./creates.ts";
import { percentileOf } from "../figures.ts";
import { measureDelays, openScene, type Delays } from "./delay.ts";
import { startBareRoute, startShim } from "./faces.ts";
import { openGround } from "./ground.ts";
import { measureStreams, type StreamRun } from "./streams.ts";

const ROUNDS = 5;
/** Creates of a run, and streams. */
const SIZE = 2_000;
/** Tasks of a round whose delay is measured, for each of them. */
const DELAYS_SHARE = 0.02;
const OURS = "shim";
const BARE = "bare-route";

export const run: Bench = async ({ rounds = ROUNDS, signal, say, size = SIZE }) => {
  const tasks = Math.max(1, Math.round(size * DELAYS_SHARE));
  const { creates, quiet } = await onGround({ rounds, signal, say }, size);
  const delays = await onScene({ rounds, signal, say }, tasks);
  return {
    bench: "shim",
    setUp: [
      `${size} creates a run, ${AT_ONCE} at once, each with a key of its own; ${rounds} rounds. The client is a process beside the one that answers.`,
      "The bare route is Fastify with one route that makes the same object and the same call: it asks nobody who the caller is, checks nothing, and watches nothing.",
      `${size} streams of a whole namespace, read by this process; an event is one write to one task, and its delay holds the write itself and ${size} readings here.`,
      `${tasks} tasks by each way a round, in turns, one at a time, with an operator that has nothing else to do; percentiles are of all rounds together. The provider's clock is this machine's, in milliseconds.`,
    ],
    results: [...createResults(creates), ...streamResults(quiet), ...delayResults(delays)],
  };
};

interface Course {
  readonly rounds: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

type Creates = ReadonlyMap<string, readonly CreateRun[]>;

async function onGround(
  course: Course,
  size: number,
): Promise<{ readonly creates: Creates; readonly quiet: readonly StreamRun[] }> {
  const ground = await openGround(course.signal);
  try {
    const contestants = [
      { name: OURS, run: () => measureCreates(ground, startShim, size) },
      { name: BARE, run: () => measureCreates(ground, startBareRoute, size) },
    ];
    const creates = await alternate(contestants, course);
    const listened = await alternate([{ name: "streams", run: () => measureStreams(ground, size) }], course);
    return { creates, quiet: listened.get("streams") ?? [] };
  } finally {
    await ground.stop();
  }
}

async function onScene(course: Course, tasks: number): Promise<Delays> {
  const scene = await openScene(course.signal);
  try {
    const run = (round: number): Promise<Delays> => measureDelays(scene, round, tasks);
    const runs = (await alternate([{ name: "delays", run }], course)).get("delays") ?? [];
    return { api: runs.flatMap(({ api }) => api), rest: runs.flatMap(({ rest }) => rest) };
  } finally {
    await scene.stop();
  }
}

function createResults(creates: Creates): readonly Result[] {
  const row = (
    measure: string,
    unit: string,
    of: (run: CreateRun) => number,
    required: readonly Required[] = [],
  ): Result => ({
    ...{ measure: `create: ${measure}`, unit, better: "less", required },
    ours: (creates.get(OURS) ?? []).map(of),
    baselines: { [BARE]: (creates.get(BARE) ?? []).map(of) },
  });
  return [
    {
      ...row("throughput", "requests/s", ({ perSecond }) => perSecond),
      ...{ better: "more", required: [{ against: BARE, times: 0.8 }] },
    },
    row("p50", "ms", ({ p50Ms }) => p50Ms, [{ against: BARE, times: 1.25 }]),
    row("p99", "ms", ({ p99Ms }) => p99Ms, [{ against: BARE, times: 1.25 }]),
    row("CPU of the process", "ms/request", ({ cpuMs }) => cpuMs),
    row("resident memory of the process", "MB", ({ residentMb }) => residentMb),
  ];
}

/** A figure of ours alone. */
function told<T>(runs: readonly T[], required: Readonly<Record<string, number>> = {}) {
  return (measure: string, unit: string, of: (run: T) => number): Result => {
    const limit = required[measure];
    return {
      ...{ measure, unit, better: "less", ours: runs.map(of), baselines: {} },
      required: limit === undefined ? [] : [{ limit, of: "worst" }],
    };
  };
}

function streamResults(runs: readonly StreamRun[]): readonly Result[] {
  const row = told(runs);
  return [
    row("streams: memory of each", "kB", ({ kbPerStream }) => kbPerStream),
    row("streams: an event, from its write to the first, median", "ms", ({ firstMs }) => firstMs),
    row("streams: an event, from its write to all, median", "ms", ({ lastMs }) => lastMs),
    row("streams: an event, from its write to all, longest", "ms", ({ worstMs }) => worstMs),
  ];
}

const BY_API = "create to the provider's POST";
const BY_REST = `${BY_API}: more by REST`;

function delayResults(delays: Delays): readonly Result[] {
  const limits = { [`${BY_API}, p50`]: 30, [`${BY_API}, p99`]: 100, [`${BY_REST}, p50`]: 20, [`${BY_REST}, p99`]: 20 };
  const row = told([delays], limits);
  const rows = ([0.5, 0.99] as const).map((share) => {
    const name = `p${share * 100}`;
    const more = ({ api, rest }: Delays): number => percentileOf(rest, share) - percentileOf(api, share);
    return [
      row(`${BY_API}, ${name}`, "ms", ({ api }) => percentileOf(api, share)),
      row(`${BY_REST}, ${name}`, "ms", more),
    ];
  });
  return rows.flat();
}
