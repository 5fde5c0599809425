// `npm run bench -- sizing`: what the operator, Postgres and the API server use while so many jobs run and as many objects rest:
// the figures of the table in docs/operations/capacity.md.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { bundle } from "../../../image/bundle.ts";
import { startOperator } from "../../operator/process.ts";
import type { Bench, Report, Result } from "../bench.ts";
import { cpuOfTree } from "../lifecycle/process-tree.ts";
import { serverCpu } from "../lifecycle/stage.ts";
import { usageOf } from "../process-usage.ts";
import { openLand, VARIABLES, type Land } from "../scale/land.ts";
import { imageOptions } from "../scale/runs.ts";

/** Jobs that run; ten objects for each, of which nine have ended or wait. */
const SIZES: readonly number[] = [100, 1_000];
const RESTING_SHARE = 9;
const SETTLE_MS = 30_000;
const WINDOW_MS = 30_000;
const LOOK_MS = 500;

export const run: Bench = async ({ say, signal, size }) => {
  const seen: Sized[] = [];
  const app = await mkdtemp(join(tmpdir(), "genop-sizing-"));
  try {
    await bundle(app);
    for (const running of size === undefined ? SIZES : [size]) seen.push(await look({ app, running, say, signal }));
  } finally {
    await rm(app, { recursive: true });
  }
  return reportOf(seen);
};

async function look({ app, running, say, signal }: Wanted): Promise<Sized> {
  const land = await openLand({ polled: running, resting: running * RESTING_SHARE, say, signal });
  try {
    return await measure(land, { app, running, say, signal });
  } finally {
    await land.stop();
  }
}

/** By process. */
type Cpu = Readonly<Record<string, number>>;
const MEASURED = ["operator", "postgres", "kube-apiserver", "etcd"] as const;

interface Sized {
  readonly running: number;
  readonly queriesPerSecond: number;
  /** Thousandths of a core. */
  readonly cpu: Cpu;
  readonly residentMb: number;
  readonly connections: number;
}

interface Wanted {
  /** The program's folder of the image. */
  readonly app: string;
  readonly running: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

async function measure(land: Land, { app, running, say, signal }: Wanted): Promise<Sized> {
  const { environment, installation, provider } = land;
  const variables = { ...VARIABLES, NODE_OPTIONS: imageOptions(), NODE_DISABLE_COMPILE_CACHE: "1" };
  const operator = startOperator(installation, { main: join(app, "start.mjs"), variables });
  try {
    await operator.logged(({ event }) => event === "leader.term", signal);
    say(`${running} jobs: ${(SETTLE_MS + WINDOW_MS) / 1000} s of looking`);
    await delay(SETTLE_MS, undefined, { signal });
    const cpuNow = async (): Promise<Cpu> => ({
      ...(await serverCpu(environment, ["postgres", "kube-apiserver", "etcd"])),
      operator: cpuOfTree(operator.pid),
    });
    const [before, queries, beganMs] = [await cpuNow(), provider.queries(), performance.now()];
    const connections = await mostConnections(environment.postgres.adminUrl, signal);
    const [after, seconds] = [await cpuNow(), (performance.now() - beganMs) / 1000];
    const share = (who: string): number => (((after[who] ?? 0) - (before[who] ?? 0)) * 1000) / seconds;
    return {
      running,
      queriesPerSecond: (provider.queries() - queries) / seconds,
      cpu: Object.fromEntries(MEASURED.map((who) => [who, share(who)])),
      residentMb: usageOf(operator.pid).residentMb,
      connections,
    };
  } finally {
    await operator.stop();
  }
}

/** The most connections that the operator had at any look within the window. */
async function mostConnections(adminUrl: string, signal: AbortSignal): Promise<number> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    let most = 0;
    for (const endMs = performance.now() + WINDOW_MS; performance.now() < endMs;) {
      const { rows } = await client.query<{ count: number }>(
        "select count(*)::integer as count from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
      );
      most = Math.max(most, rows[0]?.count ?? 0);
      await delay(LOOK_MS, undefined, { signal });
    }
    return most;
  } finally {
    await client.end();
  }
}

function reportOf(seen: readonly Sized[]): Report {
  const told = (measure: string, unit: string, of: (one: Sized) => number): readonly Result[] =>
    seen.map((one) => ({
      ...{ unit, better: "less", baselines: {}, required: [] },
      measure: `${one.running} jobs: ${measure}`,
      ours: [of(one)],
    }));
  return {
    bench: "sizing",
    setUp: [
      "The operator's bundle as the image starts it, alone, with so many jobs that never end and nine times as many objects that rest; nothing is submitted or fetched.",
      `${SETTLE_MS / 1000} s after it leads, ${WINDOW_MS / 1000} s are measured: CPU time by /proc, so that other work on the machine changes little of it.`,
    ],
    results: [
      ...told("queries", "per second", ({ queriesPerSecond }) => queriesPerSecond),
      ...MEASURED.flatMap((who) => told(`CPU of ${who}`, "thousandths of a core", ({ cpu }) => cpu[who] ?? 0)),
      ...told("resident memory", "MB", ({ residentMb }) => residentMb),
      ...told("connections to Postgres", "", ({ connections }) => connections),
    ],
  };
}
