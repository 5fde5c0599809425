// The work of each shard: its own controllers over its own keys, on what the whole process shares. Each term makes its ports anew.
import { makeGrantsController } from "../kube/grants-controller.ts";
import { GRANTS } from "../kube/kinds.ts";
import { hasLostStatus, isPinOnly } from "../kube/task-object.ts";
import type { Fence } from "../postgres/fence.ts";
import { makeGrants } from "../postgres/grants.ts";
import { liveOwners } from "../postgres/live-owners.ts";
import type { Reports } from "../postgres/reports.ts";
import { makeUsageBooks } from "../postgres/usage-reads.ts";
import type { Deps } from "../reconcile/ports.ts";
import { reconcile } from "../reconcile/reconcile.ts";
import { endVanished } from "../reconcile/vanished.ts";
import { systemClock } from "../runtime/clock.ts";
import { makeController } from "../runtime/controller.ts";
import type { Controller } from "../runtime/controller.ts";
import type { RuntimeMetrics } from "../runtime/metrics.ts";
import { makeResource } from "../runtime/resources.ts";
import { shardOf } from "../runtime/shards.ts";
import { anyOf, enqueueOnChange, specOrCommand } from "../runtime/triggers.ts";
import { TASK_KEY_ANNOTATION } from "../task/resource.ts";
import { applyGrantWith } from "./apply-grant.ts";
import { PASS_TIMEOUT_MS } from "./health.ts";
import { houseChores, runJanitor } from "./janitor.ts";
import type { Chore } from "./janitor.ts";
import type { LeaderWork } from "./leader.ts";
import { runInbox } from "./inbox.ts";
import type { InboxDeps } from "./inbox.ts";
import { runLateSearches } from "./late.ts";
import { makePorts } from "./ports.ts";
import type { PortsDeps, PortsOf } from "./ports.ts";
import { runUsageReads } from "./usage.ts";
import type { UsageDeps } from "./usage.ts";
import { makeVanished } from "./vanished.ts";
import { makeWake, unfinishedFirst, wakeOnGrants } from "./wake.ts";
import type { Wake } from "./wake.ts";

export interface ShardsDeps extends PortsDeps {
  readonly reports: Reports;
  readonly isLeading: (shard: number) => boolean;
  readonly runtimeMetrics: RuntimeMetrics;
  readonly hear: InboxDeps["hear"];
  readonly usage: Pick<UsageDeps, "names" | "source">;
}

export interface Shards {
  /** By the shard's index. */
  readonly works: readonly LeaderWork[];
  /** Wakes tasks of all shards that this process leads. */
  readonly wake: Wake;
}

/** Which keys a shard has. */
interface Share {
  readonly shard: number;
  readonly isOurs: (key: string) => boolean;
}

/** What belongs to the term under way; before the first there is none, and no controller runs. */
interface Term {
  ports: Deps | undefined;
  fence: Fence;
  /** Aborted when no more work is to be begun. */
  stop: AbortSignal | undefined;
}

export function makeShards(deps: ShardsDeps): Shards {
  const { SHARDS: count } = deps.config;
  const portsOf = makePorts({ ...deps, mayWrite: (key) => deps.isLeading(shardOf(key, count)) });
  const shares = Array.from({ length: count }, (_, shard) => {
    const share: Share = { shard, isOurs: (key) => shardOf(key, count) === shard };
    const term: Term = { ports: undefined, fence: () => undefined, stop: undefined };
    return { ...share, term, tasks: taskController(deps, share, term) };
  });
  const tasks = routed(
    shares.map((share) => share.tasks),
    count,
  );
  const isCommand = anyOf(specOrCommand({ annotations: [TASK_KEY_ANNOTATION] }), hasLostStatus);
  enqueueOnChange(deps.caches.tasks, tasks, {
    when: (next, previous) => isCommand(next, previous) && !isPinOnly(next, previous),
  });
  const wake = makeWake(() => deps.caches.tasks.list(), tasks);
  // What another process booked is told by the grant's status alone.
  if (count > 1) wakeOnGrants(deps.caches.grants, wake);
  const works = shares.map((share) => workOf(deps, { ...share, wake, portsOf }));
  return { works, wake };
}

/** Each key goes to the controller of its shard. */
function routed(controllers: readonly Controller[], count: number): Pick<Controller, "enqueue"> {
  return { enqueue: (key, options) => controllers[shardOf(key, count)]?.enqueue(key, options) };
}

function taskController(deps: ShardsDeps, { isOurs, shard }: Share, term: Term): Controller {
  const { caches, config, isLeading, log, runtimeMetrics } = deps;
  const isStopping = (): boolean => term.stop?.aborted ?? false;
  return makeController({
    name: "tasks",
    // A pass keeps to the term that it began in.
    reconcile: async (key, signal) => (term.ports ? reconcile(term.ports, key, signal, isStopping) : "rest"),
    keys: () => unfinishedFirst(caches.tasks.list(), isOurs),
    mayAct: () => isLeading(shard),
    log,
    metrics: runtimeMetrics.controller("tasks"),
    settings: { workers: config.TASK_WORKERS, passTimeoutMs: PASS_TIMEOUT_MS, drainMs: config.DRAIN_SECONDS * 1000 },
  });
}

interface Parts extends Share {
  readonly term: Term;
  readonly tasks: Controller;
  readonly wake: Wake;
  readonly portsOf: PortsOf;
}

function workOf(deps: ShardsDeps, parts: Parts): LeaderWork {
  const { log, metrics } = deps;
  const { portsOf, shard, tasks, term } = parts;
  return {
    controllers: [tasks, grantController(deps, parts)],
    begin: (fence) => {
      const { late, pass } = portsOf(fence);
      Object.assign(term, { ports: pass, fence, stop: undefined } satisfies Term);
      const chores = [...(shard === 0 ? houseChores({ ...deps, fence }) : []), vanishedChore(deps, parts, pass)];
      const wake = (objectKey: string): void => tasks.enqueue(objectKey);
      return async (stop) => {
        term.stop = stop;
        await Promise.all([
          runJanitor(chores, log, stop),
          runInbox({ ...deps, ...parts, fence }, stop),
          runLateSearches({ ...late, log, metrics, isOurs: parts.isOurs, wake }, stop),
          ...(shard === 0
            ? [runUsageReads({ ...deps, ...deps.usage, books: makeUsageBooks(deps.pool, fence) }, stop)]
            : []),
        ]);
      };
    },
  };
}

function grantController(deps: ShardsDeps, { isOurs, shard, term, wake }: Parts): Controller {
  const { caches, isLeading, log, metrics, pool, recorder, runtimeMetrics, transport } = deps;
  return makeGrantsController({
    reflector: caches.grants,
    resource: makeResource(transport, GRANTS, () => isLeading(shard)),
    applyGrant: (grant, signal) => applyGrantWith(makeGrants(pool, term.fence), metrics)(grant, signal),
    onApplied: (namespace) => wake.tasksOfNamespace(namespace),
    recorder,
    isOurs,
    mayAct: () => isLeading(shard),
    log,
    metrics: runtimeMetrics.controller("grants"),
  });
}

/** Whoever holds a key ends what lost its object: the books take it from nobody else. */
function vanishedChore({ caches, log, metrics, pool }: ShardsDeps, { isOurs }: Share, ports: Deps): Chore {
  const round = makeVanished({
    owners: (afterKey, atMost, signal) => liveOwners(pool, afterKey, atMost, signal),
    isMissing: ({ name, namespace, uid }) => {
      const key = `${namespace}/${name}`;
      return isOurs(key) && caches.tasks.get(key)?.metadata.uid !== uid;
    },
    end: (owner, signal) => endVanished(ports, owner, signal),
    graceMs: ports.policy.deletionGraceMs,
    nowMs: () => systemClock.monotonicMs(),
    log,
    metrics,
  });
  return { what: "vanished", everyRounds: 1, work: round };
}
