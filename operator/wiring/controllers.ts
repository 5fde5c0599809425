// The three controllers and what wakes them.
import type { Pool } from "pg";
import type { ArtifactStore } from "../artifacts/artifacts.ts";
import type { Config } from "../config.ts";
import type { Caches } from "../kube/caches.ts";
import { observeKube } from "../kube/gauges.ts";
import { makeGrantsController } from "../kube/grants-controller.ts";
import { GRANTS, PROVIDERS, SECRETS, TASKS } from "../kube/kinds.ts";
import { makeProvidersController } from "../kube/providers-controller.ts";
import type { ProviderCounts } from "../kube/providers-controller.ts";
import type { LiveQuotas } from "../kube/quota.ts";
import { makeSecrets } from "../kube/secrets.ts";
import { hasLostStatus } from "../kube/task-object.ts";
import { makeTasks } from "../kube/tasks.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { makeBooks } from "../postgres/books.ts";
import type { Fence } from "../postgres/fence.ts";
import { makeGrants } from "../postgres/grants.ts";
import { liveOwners } from "../postgres/live-owners.ts";
import type { Reports } from "../postgres/reports.ts";
import type { Deps } from "../reconcile/ports.ts";
import { reconcile } from "../reconcile/reconcile.ts";
import { makeUnsent } from "../reconcile/unsent.ts";
import { endVanished } from "../reconcile/vanished.ts";
import { sleep, systemClock } from "../runtime/clock.ts";
import { makeController } from "../runtime/controller.ts";
import type { Controller } from "../runtime/controller.ts";
import type { RuntimeMetrics } from "../runtime/metrics.ts";
import type { Recorder } from "../runtime/recorder.ts";
import { makeResource } from "../runtime/resources.ts";
import type { Transport } from "../runtime/transport.ts";
import { anyOf, enqueueOnChange, specOrCommand } from "../runtime/triggers.ts";
import { TASK_KEY_ANNOTATION } from "../task/resource.ts";
import { applyGrantWith } from "./apply-grant.ts";
import { PASS_TIMEOUT_MS } from "./health.ts";
import { makeJournal } from "./journal.ts";
import { countingBooks } from "./meters.ts";
import type { ProviderBridge } from "./provider-bridge.ts";
import { makeSlots } from "./slots.ts";
import { makeVanished } from "./vanished.ts";
import { makeWake, unfinishedFirst } from "./wake.ts";
import type { Wake } from "./wake.ts";

export interface ControllersDeps {
  readonly config: Config;
  readonly transport: Transport;
  readonly caches: Caches;
  readonly recorder: Recorder;
  readonly quotas: LiveQuotas;
  readonly providers: ProviderBridge;
  readonly artifacts: ArtifactStore;
  readonly pool: Pool;
  readonly reports: Reports;
  readonly fence: Fence;
  readonly isLeading: () => boolean;
  readonly submitLimit: (provider: string) => number;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly runtimeMetrics: RuntimeMetrics;
  /** Between a pass and its ports; a test stops the process there. As it is, unless told. */
  readonly decorate?: ((ports: Deps) => Deps) | undefined;
}

export interface Controllers {
  readonly tasks: Controller;
  readonly grants: Controller;
  readonly providers: Controller;
  /** For the janitor: one round of looking for tasks whose object is gone. */
  readonly endVanished: (signal: AbortSignal) => Promise<void>;
}

export function makeControllers(deps: ControllersDeps): Controllers {
  const { caches, metrics, quotas } = deps;
  const { decorate = (undecorated: Deps): Deps => undecorated } = deps;
  const ports = decorate(portsOf(deps));
  const tasks = taskController(deps, ports);
  const wake = makeWake(() => caches.tasks.list(), tasks);
  const grants = grantController(deps, wake);
  const providers = makeProvidersController({
    reflector: caches.providers,
    resource: makeResource(deps.transport, PROVIDERS),
    namespace: deps.config.OPERATOR_NAMESPACE,
    // Never kept: each pass must see a rotation.
    secrets: makeSecrets({
      resource: makeResource(deps.transport, SECRETS),
      clock: systemClock,
      settings: { keepMs: 0 },
    }),
    quotas,
    registry: waking(deps.providers, wake),
    counts: (name, signal) => countsOf(deps.reports, name, signal),
    mayReport: deps.isLeading,
    recorder: deps.recorder,
    log: deps.log,
    metrics: deps.runtimeMetrics.controller("providers"),
  });
  quotas.onChange((names) => names.forEach((name) => wake.tasksOfProvider(name)));
  observeKube(metrics, { tasks: caches.tasks, providers, quotas, clock: systemClock });
  return { tasks, grants, providers: providers.controller, endVanished: vanishedRound(deps, ports) };
}

function vanishedRound({ caches, log, metrics, pool }: ControllersDeps, ports: Deps): Controllers["endVanished"] {
  return makeVanished({
    owners: (afterKey, atMost, signal) => liveOwners(pool, afterKey, atMost, signal),
    isCached: ({ name, namespace, uid }) => caches.tasks.get(`${namespace}/${name}`)?.metadata.uid === uid,
    end: (owner, signal) => endVanished(ports, owner, signal),
    graceMs: ports.policy.deletionGraceMs,
    nowMs: () => systemClock.monotonicMs(),
    log,
    metrics,
  });
}

function taskController(deps: ControllersDeps, ports: Deps): Controller {
  const { caches, config, log, runtimeMetrics } = deps;
  const controller = makeController({
    name: "tasks",
    reconcile: (key, signal) => reconcile(ports, key, signal),
    keys: () => unfinishedFirst(caches.tasks.list()),
    mayAct: deps.isLeading,
    log,
    metrics: runtimeMetrics.controller("tasks"),
    settings: { workers: config.TASK_WORKERS, passTimeoutMs: PASS_TIMEOUT_MS, drainMs: config.DRAIN_SECONDS * 1000 },
  });
  enqueueOnChange(caches.tasks, controller, {
    when: anyOf(specOrCommand({ annotations: [TASK_KEY_ANNOTATION] }), hasLostStatus),
  });
  return controller;
}

function portsOf(deps: ControllersDeps): Deps {
  const { caches, config, log, metrics, recorder, transport } = deps;
  const secrets = makeSecrets({ resource: makeResource(transport, SECRETS), clock: systemClock });
  return {
    books: countingBooks(makeBooks(deps.pool, deps.fence), metrics),
    tasks: makeTasks({ cache: caches.tasks, resource: makeResource(transport, TASKS), secrets, recorder }),
    quotas: deps.quotas,
    providers: deps.providers,
    artifacts: deps.artifacts,
    slots: makeSlots({ submit: deps.submitLimit, fetch: config.FETCH_CONCURRENCY }),
    unsent: makeUnsent(),
    journal: makeJournal(log, metrics),
    policy: {
      deletionGraceMs: config.DELETION_GRACE_SECONDS * 1000,
      providerGraceMs: config.PROVIDER_GRACE_SECONDS * 1000,
      slaClasses: config.SLA_CLASSES,
    },
    pause: (ms, signal) => sleep(systemClock, ms, signal),
    random: Math.random,
  };
}

function grantController(deps: ControllersDeps, wake: Wake): Controller {
  return makeGrantsController({
    reflector: deps.caches.grants,
    resource: makeResource(deps.transport, GRANTS),
    applyGrant: applyGrantWith(makeGrants(deps.pool, deps.fence), deps.metrics),
    onApplied: (namespace) => wake.tasksOfNamespace(namespace),
    recorder: deps.recorder,
    mayAct: deps.isLeading,
    log: deps.log,
    metrics: deps.runtimeMetrics.controller("grants"),
  });
}

/** Whoever waits for a provider looks again when something is said of it. */
function waking(providers: ProviderBridge, wake: Wake): ProviderBridge {
  return {
    ...providers,
    put: (name, input) => {
      const problems = providers.put(name, input);
      wake.tasksOfProvider(name);
      return problems;
    },
    remove: (name) => {
      providers.remove(name);
      wake.tasksOfProvider(name);
    },
  };
}

async function countsOf(reports: Reports, name: string, signal: AbortSignal): Promise<ProviderCounts> {
  const counts = (await reports.counts(signal)).find(({ provider }) => provider === name);
  return { inFlight: counts?.inFlight ?? 0, waiting: counts?.waiting ?? 0 };
}
