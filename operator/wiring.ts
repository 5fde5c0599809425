// The composition root: makes every dependency by hand, top to bottom, and says in which order they start and stop.
import { makeArtifacts } from "./artifacts/artifacts.ts";
import type { Config } from "./config.ts";
import { eachOf, makeCaches } from "./kube/caches.ts";
import { loadKubeConfig } from "./kube/kubeconfig.ts";
import { makeQuotas } from "./kube/quota.ts";
import { makeNamespaceLabels } from "./kube/namespaces.ts";
import { makeLog } from "./observe/log.ts";
import { makeMetrics } from "./observe/metrics.ts";
import { attemptStates } from "./postgres/attempt-states.ts";
import { makePool } from "./postgres/pool.ts";
import { makeReports } from "./postgres/reports.ts";
import { makeProviders } from "./providers/registry.ts";
import type { ProviderRegistry } from "./providers/registry.ts";
import { webhookAddress } from "./receiver/address.ts";
import { makeLifecycle } from "./runtime/lifecycle.ts";
import type { Lifecycle } from "./runtime/lifecycle.ts";
import { makeRuntimeMetrics } from "./runtime/metrics.ts";
import { cachesPart, controllerPart, recorderPart } from "./runtime/parts.ts";
import { makeRecorder } from "./runtime/recorder.ts";
import { makeTransport } from "./runtime/transport.ts";
import { storeOf } from "./variables.ts";
import { makeControllers } from "./wiring/controllers.ts";
import type { ControllersDeps } from "./wiring/controllers.ts";
import { healthPart } from "./wiring/health.ts";
import { makeLeadership } from "./wiring/leader.ts";
import { meterOf, observeBooks, observeUsage } from "./wiring/meters.ts";
import type { Quota } from "./task/quota.ts";
import { bridgeProviders } from "./wiring/provider-bridge.ts";
import { storesPart } from "./wiring/stores.ts";

/** Submits at once, by provider, where the quota says nothing. */
const SUBMIT_CONCURRENCY = 16;
/** A dependency that is down at start is waited for; a lifecycle wants a number. */
const START_MS = 2 ** 31 - 1;

export interface OperatorOptions {
  /** See ControllersDeps. */
  readonly decorate?: ControllersDeps["decorate"];
}

/** The operator, ready to run. Connects to nothing yet. Throws one sentence when the kubeconfig can't be read. */
export function makeOperator(config: Config, { decorate }: OperatorOptions = {}): Lifecycle {
  const adapters = makeAdapters(config);
  const { artifacts, caches, calls, log, metrics, pool, recorder, reports, runtimeMetrics, transport, usage } =
    adapters;

  const leadership = makeLeadership({ config, transport, pool, metrics, runtimeMetrics, log });
  const { isLeading } = leadership;
  const controllers = makeControllers({ ...adapters, config, isLeading, decorate });
  observeBooks(metrics, { pool, reports });
  observeUsage(metrics, { pool, usage });

  const led = controllers.works.flatMap((work) => work.controllers);
  const state = { isStarted: () => lifecycle.isReady(), isStopping: () => lifecycle.isStopping() };
  const lifecycle: Lifecycle = makeLifecycle({
    log,
    parts: [
      healthPart({ caches, controllers: [...led, controllers.providers], ...state }, metrics, config, log),
      storesPart({ transport, pool, artifacts }, config, log),
      recorderPart(recorder),
      cachesPart(eachOf(caches)),
      controllerPart(controllers.providers, () => calls.close()),
      leadership.part(controllers.works),
    ],
    settings: { startMs: START_MS, drainMs: (config.DRAIN_SECONDS + 2) * 1000, forceMs: 5000 },
  });
  return lifecycle;
}

function makeAdapters(config: Config): Adapters {
  const log = makeLog({ level: config.LOG_LEVEL, base: { role: "operator", pod: config.POD_NAME ?? "" } });
  const metrics = makeMetrics();
  const runtimeMetrics = makeRuntimeMetrics(metrics.registry);
  const instance = config.POD_NAME ?? "generation-operator";

  const kubeConfig = loadKubeConfig(config.KUBECONFIG);
  const transport = makeTransport({ kubeConfig, metrics: runtimeMetrics.rest, log });
  const watch = (name: string): ReturnType<typeof runtimeMetrics.watch> => runtimeMetrics.watch(name);
  const caches = makeCaches({ transport, namespace: config.OPERATOR_NAMESPACE, log, metrics: watch });
  for (const cache of eachOf(caches)) runtimeMetrics.observe(cache);
  const controller = "genop.dev/operator";
  const recorder = makeRecorder({ transport, controller, instance, log, metrics: runtimeMetrics.recorder });

  const onIdleError = (code: string): void => log("warn", "database.connection-lost", { code });
  const database = { url: config.DATABASE_URL, maxConnections: config.DATABASE_POOL_SIZE };
  const pool = makePool({ ...database, applicationName: instance, onIdleError });
  const quotas = makeQuotas(caches.quota);
  const submitLimit = (name: string): number => limitOf(quotas.quota(name), "submit") ?? SUBMIT_CONCURRENCY;
  const calls = makeProviders({
    namespaceLabels: makeNamespaceLabels(caches.namespaces),
    webhookUrl: webhookUrlOf(config),
    concurrency: (name) => ({ submit: submitLimit(name), query: limitOf(quotas.quota(name), "query") }),
  });
  const artifacts = makeArtifacts({
    store: { ...storeOf(config), checksums: config.S3_CHECKSUMS },
    limits: { streams: config.FETCH_CONCURRENCY },
    accessTo: (name) => calls.outputAccess(name),
    statesOf: (ids, signal) => attemptStates(pool, ids, signal),
    meter: meterOf(metrics),
  });
  const providers = bridgeProviders(calls);
  const reports = makeReports(pool);
  const kube = { transport, caches, recorder, quotas };
  const hear: ProviderRegistry["hear"] = (name, received) => calls.hear(name, received);
  const usage = { names: () => calls.names(), source: (name: string) => calls.usage(name) };
  return {
    ...kube,
    log,
    metrics,
    runtimeMetrics,
    pool,
    reports,
    submitLimit,
    calls,
    hear,
    usage,
    providers,
    artifacts,
  };
}

function webhookUrlOf({ PUBLIC_WEBHOOK_URL: base, WEBHOOK_KEY: key }: Config): (attemptId: string) => string {
  return (attemptId) => (base === undefined || key === undefined ? "" : webhookAddress(base, key, attemptId));
}

type Adapters = Omit<ControllersDeps, "config" | "isLeading" | "decorate"> & {
  readonly calls: ProviderRegistry;
};

function limitOf(quota: Quota | "unknown" | undefined, operation: "submit" | "query"): number | undefined {
  return typeof quota === "object" ? quota[operation]?.concurrent : undefined;
}
