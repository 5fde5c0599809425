// From a create to the provider's POST, one task at a time and nothing else to do: through the API server as kubectl writes to it,
// and through the shim, in turns. The provider says when the POST reached it.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { startEnvironment, type Environment } from "../../env/environment.ts";
import { applyObjects, install, installShim } from "../../operator/installation.ts";
import { startOperator } from "../../operator/process.ts";
import { accountObjects, grantObject, namespaceObject, providerObjects, taskObject } from "../../operator/tenancy.ts";
import { watchTasks, type TaskWatcher } from "../../operator/watcher.ts";
import { makeProviderAdmin, type ProviderAdmin } from "../../provider/client.ts";
import { makeApi, type Api } from "../api.ts";
import { NAMESPACE, startShim } from "./faces.ts";
import { TASKS_PATH } from "./ground.ts";

/** Of each way, in milliseconds. */
export interface Delays {
  readonly api: readonly number[];
  readonly rest: readonly number[];
}

export interface Scene {
  readonly api: Api;
  readonly rest: Pool;
  readonly token: string;
  readonly provider: ProviderAdmin;
  readonly watcher: TaskWatcher;
  stop(): Promise<void>;
}

/** The first ones compile the code and are not counted. */
const WARM_UP = 10;
const SIMULATE = { durationMs: 0, queueMs: 0, outputs: [{ kind: "image", bytes: 10_000 }] };
/** After a task's end: its events are written, and nothing is left to do. */
const REST_MS = 50;
const LIMIT_MS = 60_000;

export async function openScene(signal: AbortSignal): Promise<Scene> {
  const environment = await startEnvironment({ controllerManager: false, say: () => undefined }, signal);
  try {
    return await peopled(environment);
  } catch (error) {
    await environment.stop();
    throw error;
  }
}

async function peopled(environment: Environment): Promise<Scene> {
  const installation = await install(environment);
  const providers = await providerObjects(environment, [{ name: "simulated" }]);
  await applyObjects(environment, [namespaceObject(NAMESPACE), ...accountObjects(NAMESPACE, "caller"), ...providers]);
  await applyObjects(environment, [grantObject(NAMESPACE, "first", "1000000")]);
  const operator = startOperator(installation, { logFile: join(environment.folder, "logs", "operator.log") });
  const limited = AbortSignal.timeout(LIMIT_MS);
  const { port } = await operator.logged(({ event }) => event === "health.listening", limited);
  const { kubeconfigPath } = await installShim(environment, "genop-system");
  const variables = { OPERATOR_METRICS_URL: `http://127.0.0.1:${String(port)}/metrics` };
  const shim = await startShim({ environment, kubeconfigPath }, variables);
  const api = makeApi(environment);
  const rest = new Pool(shim.url, { connections: 4 });
  const watcher = await watchTasks(environment);
  return {
    ...{ api, rest, watcher, token: (await environment.tokenFor(`${NAMESPACE}/caller`)).token },
    provider: makeProviderAdmin(environment.provider.adminUrl),
    stop: async () => {
      await rest.destroy();
      await shim.stop();
      await operator.stop();
      await watcher.stop();
      await api.close();
      await environment.stop();
    },
  };
}

/** Creates the task of this name, and resolves with the key of its object. */
type Create = (name: string) => Promise<string>;

/** `tasks` of each way. */
export async function measureDelays(scene: Scene, round: number, tasks: number): Promise<Delays> {
  const ways: Readonly<Record<keyof Delays, Create>> = { api: byApi(scene), rest: byRest(scene) };
  const delays = { api: [] as number[], rest: [] as number[] };
  for (let index = -WARM_UP; index < tasks; index += 1) {
    for (const way of ["api", "rest"] as const) {
      const name = `${way}-${round}-${index + WARM_UP}`;
      const delayMs = await delayOf(scene, ways[way], name);
      if (index >= 0) delays[way].push(delayMs);
    }
  }
  return delays;
}

async function delayOf({ provider, watcher }: Scene, create: Create, name: string): Promise<number> {
  const limited = AbortSignal.timeout(LIMIT_MS);
  const startedMs = performance.timeOrigin + performance.now();
  const key = await create(name);
  const isDone = (): boolean => watcher.get(key)?.status?.phase === "Succeeded";
  await watcher.until(`${key} to succeed`, isDone, limited);
  await sleep(REST_MS);
  const { requests } = await provider.record({ operation: "submit", reference: `${NAMESPACE}/${name}`, limit: 10 });
  const [submit] = requests;
  if (!submit || requests.length > 1)
    throw new Error(`cannot measure: ${name} has ${requests.length} submits instead of one`);
  return Date.parse(submit.at) - startedMs;
}

function byApi({ api }: Scene): Create {
  return async (name) => {
    await api.call("POST", TASKS_PATH, wishOf(name));
    return `${NAMESPACE}/${name}`;
  };
}

function byRest({ rest, token }: Scene): Create {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return async (name) => {
    const answer = await rest.request({
      ...{ method: "POST", path: "/v1/tasks", body: JSON.stringify(wishOf(name).spec) },
      headers: { ...headers, "idempotency-key": name },
    });
    const { id } = (await answer.body.json()) as { readonly id?: string };
    if (answer.statusCode !== 202 || id === undefined)
      throw new Error(`cannot measure: a create was answered ${answer.statusCode}`);
    return `${NAMESPACE}/${id}`;
  };
}

function wishOf(name: string): { readonly spec: object } {
  const wish = taskObject({ namespace: NAMESPACE, name, model: "sim-image", simulate: SIMULATE });
  return wish as { readonly spec: object };
}
