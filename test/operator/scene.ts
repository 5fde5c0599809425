// A cluster with the operator's parts, of which a test then takes one back to an older copy, or puts another in its place.
import { join } from "node:path";
import { startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { kubectl } from "../env/kubectl.ts";
import { makeProviderAdmin } from "../provider/client.ts";
import type { ProviderAdmin } from "../provider/client.ts";
import { applyObjects, install } from "./installation.ts";
import type { Installation } from "./installation.ts";
import { startOperator } from "./process.ts";
import type { OperatorProcess } from "./process.ts";
import { grantObject, namespaceObject, providerObjects, taskObject } from "./tenancy.ts";
import type { Wish } from "./tenancy.ts";
import { watchTasks } from "./watcher.ts";
import type { SeenTask, TaskWatcher } from "./watcher.ts";

export const TENANT = "studio";
const LIMIT_MS = 120_000;
const VARIABLES = {
  LEASE_DURATION_SECONDS: "4",
  LEASE_RENEW_DEADLINE_SECONDS: "3",
  LEASE_RETRY_SECONDS: "0.5",
};
const BLIND = { lookupByClientID: false, correlate: "None", cancel: "None" };

export interface Scene {
  readonly environment: Environment;
  readonly installation: Installation;
  readonly provider: ProviderAdmin;
  /** Another one after `watchAnew`. */
  watcher(): TaskWatcher;
  watchAnew(): Promise<void>;
  /** Ended with the scene, if it still runs. */
  start(variables?: Readonly<Record<string, string>>, where?: Installation): OperatorProcess;
  wish(name: string, more?: Partial<Wish>): Promise<void>;
  /** The task once its phase and reason begin with these words. */
  become(name: string, words: string, seenBy?: TaskWatcher): Promise<SeenTask>;
  edit(name: string, spec: object, cluster?: Environment): Promise<void>;
  submits(): Promise<number>;
  jobsOf(name: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** The tenant with its credits, and two accounts at the simulator: `simulated`, and `blind`, which gives nothing to look a job up with. */
export async function furnish(cluster: Environment): Promise<void> {
  const variants = [{ name: "simulated" }, { name: "blind", spec: { capabilities: BLIND } }];
  await applyObjects(cluster, [namespaceObject(TENANT), ...(await providerObjects(cluster, variants))]);
  await applyObjects(cluster, [grantObject(TENANT, "first", "1000")]);
}

export const limit = (): AbortSignal => AbortSignal.timeout(LIMIT_MS);

export async function openScene(): Promise<Scene> {
  const environment = await startEnvironment();
  const installation = await install(environment);
  const provider = makeProviderAdmin(environment.provider.adminUrl);
  await furnish(environment);
  const running = new Set<OperatorProcess>();
  let watcher = await watchTasks(environment);
  return {
    ...{ environment, installation, provider, watcher: () => watcher },
    watchAnew: async () => {
      await watcher.stop();
      watcher = await watchTasks(environment);
    },
    start: (variables = {}, where = installation) => {
      const logFile = join(environment.folder, "logs", "operator.log");
      const operator = startOperator(where, { variables: { ...VARIABLES, ...variables }, logFile });
      running.add(operator);
      void operator.ended.then(() => running.delete(operator));
      return operator;
    },
    wish: (name, more) =>
      applyObjects(environment, [taskObject({ namespace: TENANT, name, model: "sim-image", ...more })]),
    become: (name, words, seenBy = watcher) => become(seenBy, name, words),
    edit: async (name, spec, cluster = environment) => {
      await kubectl(cluster, ["patch", "gt", name, "-n", TENANT, "--type=merge", "-p", JSON.stringify({ spec })]);
    },
    submits: async () => (await provider.summary()).submitsReceived,
    jobsOf: async (name) => (await provider.record({ reference: `${TENANT}/${name}` })).jobs.map(({ id }) => id),
    close: async () => {
      await Promise.all([...running].map((operator) => operator.stop()));
      await watcher.stop();
      await environment.stop();
    },
  };
}

async function become(watcher: TaskWatcher, name: string, words: string): Promise<SeenTask> {
  const key = `${TENANT}/${name}`;
  const isSo = (): boolean => {
    const { phase = "", reason = "" } = watcher.get(key)?.status ?? {};
    return `${phase} ${reason}`.startsWith(words);
  };
  await watcher.until(`${key} to be ${words}`, isSo, limit());
  return watcher.get(key) ?? { metadata: { name } };
}
