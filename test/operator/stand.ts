// One operator on one environment of its own, with a tenant that has credits: what most end-to-end tests stand on.
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
import type { ProviderVariant, Wish } from "./tenancy.ts";
import { watchTasks } from "./watcher.ts";
import type { SeenTask, TaskWatcher } from "./watcher.ts";

export interface Stand {
  readonly environment: Environment;
  readonly installation: Installation;
  readonly operator: OperatorProcess;
  readonly provider: ProviderAdmin;
  readonly watcher: TaskWatcher;
  readonly logFile: string;
  /** Applies a task in the tenant's namespace; its key. */
  wish(wish: Omit<Wish, "namespace"> & { readonly namespace?: string }): Promise<string>;
  /** Applies an object as it is, JSON or YAML. */
  apply(text: string): Promise<string>;
  /** The task once it is in the phase; rejects with what it is instead. */
  inPhase(key: string, phase: string): Promise<SeenTask>;
  /** Resolves when the object is gone. */
  gone(key: string): Promise<void>;
  kubectl(...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

export const TENANT = "studio";
const WAIT_MS = 90_000;
const VARIABLES = {
  LEASE_DURATION_SECONDS: "4",
  LEASE_RENEW_DEADLINE_SECONDS: "3",
  LEASE_RETRY_SECONDS: "0.5",
  PROVIDER_GRACE_SECONDS: "2",
  LOG_LEVEL: "debug",
};

export interface StandOptions {
  readonly providers?: readonly ProviderVariant[];
  readonly variables?: Readonly<Record<string, string>>;
}

export async function standUp({ providers = [{ name: "simulated" }], variables }: StandOptions = {}): Promise<Stand> {
  const environment = await startEnvironment();
  const installation = await install(environment);
  await applyObjects(environment, [namespaceObject(TENANT), ...(await providerObjects(environment, providers))]);
  await applyObjects(environment, [grantObject(TENANT, "first", "1000")]);
  const logFile = join(environment.folder, "logs", "operator.log");
  const operator = startOperator(installation, { variables: { ...VARIABLES, ...variables }, logFile });
  const watcher = await watchTasks(environment);
  const until = (what: string, predicate: () => boolean): Promise<void> =>
    watcher.until(what, predicate, AbortSignal.timeout(WAIT_MS));
  return {
    environment,
    installation,
    operator,
    watcher,
    logFile,
    provider: makeProviderAdmin(environment.provider.adminUrl),
    wish: async (wish) => {
      const namespace = wish.namespace ?? TENANT;
      await applyObjects(environment, [taskObject({ ...wish, namespace })]);
      return `${namespace}/${wish.name}`;
    },
    apply: (text) => kubectl(environment, ["apply", "-f", "-"], { input: text }),
    inPhase: async (key, phase) => {
      await until(`${key} to be ${phase}`, () => watcher.get(key)?.status?.phase === phase);
      return watcher.get(key) ?? { metadata: { name: key } };
    },
    gone: (key) => until(`${key} to be gone`, () => watcher.get(key) === undefined),
    kubectl: (...args) => kubectl(environment, args),
    stop: async () => {
      await operator.stop();
      await watcher.stop();
      await environment.stop();
    },
  };
}
