// Work that never stops: tasks created at a steady pace, whose jobs are short, and which are removed when they are done. What came of
// it is read from the database.
import type { Pool } from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { makePool } from "../../../operator/postgres/pool.ts";
import { startEnvironment, type Environment } from "../../env/environment.ts";
import { applyObjects, install, type Installation } from "../../operator/installation.ts";
import { grantObject, namespaceObject, providerObjects, taskObject } from "../../operator/tenancy.ts";
import { makeProviderAdmin } from "../../provider/client.ts";
import { makeApi, type Api } from "../api.ts";
import { ACTS, countOf, newestOf, type Act } from "./acts.ts";

export interface Work {
  readonly environment: Environment;
  readonly installation: Installation;
  acts(): Promise<readonly Act[]>;
  /** Resolves when a term later than this one has made so many acts, with its number. */
  actsAfter(epoch: number, atLeast: number): Promise<number>;
  /** Submits that came to the provider without a mark of the books. */
  unmarkedSubmits(): Promise<number>;
  /** Rejects as soon as a task could not be created. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

const NAMESPACE = "studio";
const PATH = `/apis/genop.dev/v1alpha1/namespaces/${NAMESPACE}/generationtasks`;
const SIMULATE = { durationMs: 300, queueMs: 0, outputs: [{ kind: "image", bytes: 10_000 }] };
const LOOK_EVERY_MS = 50;

export async function beginWork(perSecond: number, signal: AbortSignal): Promise<Work> {
  const environment = await startEnvironment({ controllerManager: false, say: () => undefined }, signal);
  try {
    const installation = await install(environment);
    const providers = await providerObjects(environment, [{ name: "simulated" }]);
    await applyObjects(environment, [namespaceObject(NAMESPACE), ...providers]);
    await applyObjects(environment, [grantObject(NAMESPACE, "first", "100000")]);
    return workOn(environment, installation, { perSecond, signal });
  } catch (error) {
    await environment.stop();
    throw error;
  }
}

interface Pace {
  readonly perSecond: number;
  readonly signal: AbortSignal;
}

function workOn(environment: Environment, installation: Installation, { perSecond, signal }: Pace): Work {
  const api = makeApi(environment);
  const pool = makePool({ url: installation.databaseUrl, applicationName: "bench", maxConnections: 2 });
  const stream = beginStream(api, perSecond);
  const acts = async (): Promise<readonly Act[]> => (await pool.query<Act>(ACTS)).rows;
  return {
    environment,
    installation,
    acts,
    actsAfter: async (epoch, atLeast) => {
      for (;;) {
        signal.throwIfAborted();
        const seen = await acts();
        const newest = newestOf(seen);
        if (newest > epoch && countOf(seen, newest) >= atLeast) return newest;
        await sleep(LOOK_EVERY_MS);
      }
    },
    unmarkedSubmits: () => unmarked(environment, pool),
    failed: stream.failed,
    stop: async () => {
      stream.stop();
      await Promise.all([api.close(), pool.end()]);
      await environment.stop();
    },
  };
}

interface Stream {
  readonly failed: Promise<never>;
  stop(): void;
}

function beginStream(api: Api, perSecond: number): Stream {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  let count = 0;
  const create = (): void => {
    const task = taskObject({
      ...{ namespace: NAMESPACE, name: `task-${count++}`, model: "sim-image", simulate: SIMULATE },
      spec: { ttlSecondsAfterFinished: 1 },
    });
    api.call("POST", PATH, task).catch(failed.reject);
  };
  const timer = setInterval(create, 1000 / perSecond);
  return { failed: failed.promise, stop: () => clearInterval(timer) };
}

async function unmarked(environment: Environment, pool: Pool): Promise<number> {
  const all = { operation: "submit", limit: 100_000 };
  const { requests } = await makeProviderAdmin(environment.provider.adminUrl).record(all);
  const { rows } = await pool.query<{ id: string }>(
    "select attempt_id::text as id from genop.calls where operation = 'submit'",
  );
  const marked = new Set(rows.map(({ id }) => id));
  return requests.filter(({ ref }) => ref === null || !marked.has(ref)).length;
}
