// Where one run happens: an environment of its own with the operator installed, credits granted, and tasks that nobody works on
// yet. Counts from outside: what the API server and the database say that a run cost.
import { Client } from "pg";
import { applyObjects, install, type Installation } from "../../operator/installation.ts";
import { namespaceObject, providerObjects, taskObject } from "../../operator/tenancy.ts";
import { startEnvironment, type Environment } from "../../env/environment.ts";
import { makeProviderAdmin } from "../../provider/client.ts";
import { acquireEpoch } from "../../../operator/postgres/fence.ts";
import { makeGrants } from "../../../operator/postgres/grants.ts";
import { makePool } from "../../../operator/postgres/pool.ts";
import { micro } from "../../../operator/task/credits.ts";
import { forEachIndex, makeApi, sumOf, type Api } from "../api.ts";
import { cpuOfTree } from "./process-tree.ts";

export const NAMESPACE = "studio";
export const MODEL = "sim-image";
export const TASKS_PATH = `/apis/genop.dev/v1alpha1/namespaces/${NAMESPACE}/generationtasks`;
const OUTPUT_BYTES = 10_000;
const CREATES_AT_ONCE = 32;
const CREDITS = 1_000_000_000_000n;
/** Its job is over when its submit is answered. */
const SIMULATE = { durationMs: 0, queueMs: 0, outputs: [{ kind: "image", bytes: OUTPUT_BYTES }] };

export interface Stage {
  readonly environment: Environment;
  readonly installation: Installation;
  readonly api: Api;
  /** Transactions of the database so far, of whoever has disconnected. */
  transactions(): Promise<number>;
  /** CPU seconds of the server processes so far, by name. */
  serverCpuSeconds(): Promise<Readonly<Record<string, number>>>;
  /** Requests for tasks that the API server has answered so far. */
  taskRequests(verb: "GET" | "PATCH"): Promise<number>;
  events(): Promise<number>;
  stop(): Promise<void>;
}

export async function openStage(tasks: number, signal: AbortSignal): Promise<Stage> {
  const environment = await startEnvironment({ controllerManager: false, say: () => undefined }, signal);
  try {
    const installation = await install(environment);
    await applyObjects(environment, [
      namespaceObject(NAMESPACE),
      ...(await providerObjects(environment, [{ name: "simulated" }])),
    ]);
    await grant(installation.databaseUrl);
    const api = makeApi(environment);
    await createTasks(api, tasks);
    return stageOf(environment, installation, api);
  } catch (error) {
    await environment.stop();
    throw error;
  }
}

/** Straight into the ledger: what is measured begins with a namespace that has its credits. */
async function grant(url: string): Promise<void> {
  const pool = makePool({ url, applicationName: "bench", maxConnections: 1 });
  try {
    const epoch = await acquireEpoch(pool, "bench");
    const grants = makeGrants(pool, () => epoch);
    const credits = { uid: "bench", namespace: NAMESPACE, amount: micro(CREDITS), reason: "bench" };
    await grants.apply(credits, AbortSignal.timeout(10_000));
  } finally {
    await pool.end();
  }
}

function createTasks(api: Api, tasks: number): Promise<void> {
  return forEachIndex(tasks, CREATES_AT_ONCE, (index) => {
    const name = `task-${String(index).padStart(5, "0")}`;
    return api.call("POST", TASKS_PATH, taskObject({ namespace: NAMESPACE, name, model: MODEL, simulate: SIMULATE }));
  });
}

function stageOf(environment: Environment, installation: Installation, api: Api): Stage {
  return {
    environment,
    installation,
    api,
    transactions: () => transactionsOf(environment, new URL(installation.databaseUrl).pathname.slice(1)),
    serverCpuSeconds: () => serverCpu(environment),
    taskRequests: async (verb) =>
      sumOf(await api.metrics(), "apiserver_request_total", { resource: "generationtasks", verb }),
    events: async () => {
      const list = (await api.call("GET", `/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`)) as {
        readonly items: readonly { readonly series?: { readonly count: number } }[];
      };
      return list.items.reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
    },
    stop: async () => {
      await api.close();
      await environment.stop();
    },
  };
}

// A backend hands in its counts when it ends, and while it works once a second at most.
const COUNTS = `
select (xact_commit + xact_rollback)::integer as transactions,
       (select count(*) from pg_stat_activity where datname = $1)::integer as sessions
  from pg_stat_database where datname = $1`;

async function transactionsOf(environment: Environment, database: string): Promise<number> {
  const client = new Client({ connectionString: environment.postgres.adminUrl });
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query<{ transactions: number; sessions: number }>(COUNTS, [database]);
      if (rows[0]?.sessions === 0) return rows[0].transactions;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await client.end();
  }
}

const SERVERS = ["kube-apiserver", "etcd", "postgres", "s3", "provider"] as const;

/** CPU seconds of the server processes so far, by name. */
export async function serverCpu(
  environment: Environment,
  servers: readonly (typeof SERVERS)[number][] = SERVERS,
): Promise<Readonly<Record<string, number>>> {
  const entries = servers.map(async (name): Promise<[string, number]> => {
    const pid = await environment.part(name).pid();
    return [name, pid === undefined ? 0 : cpuOfTree(pid)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** What the simulator was asked, by operation: no contestant may have done less than the other. */
export async function providerCalls(environment: Environment): Promise<Readonly<Record<string, number>>> {
  const { requests } = await makeProviderAdmin(environment.provider.adminUrl).record({ limit: 100_000 });
  const counts: Record<string, number> = {};
  for (const { operation } of requests) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
}
