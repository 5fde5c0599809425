// The caches of one process: what is watched, and what is kept of it. Nothing is read before their `run`.
import type { Clock, Random } from "../runtime/clock.ts";
import type { WatchMetrics } from "../runtime/follow.ts";
import type { Log } from "../runtime/log.ts";
import { keyOf, withoutManagedFields, type KubeObject } from "../runtime/objects.ts";
import { makeReflector, type Reflector } from "../runtime/reflector.ts";
import type { Transport } from "../runtime/transport.ts";
import { slimGrant, type WireGrant } from "./grant-object.ts";
import { CONFIG_MAPS, GRANTS, NAMESPACES, PROVIDERS, TASKS } from "./kinds.ts";
import { slimNamespace } from "./namespaces.ts";
import { slimProvider, type WireProvider } from "./provider-object.ts";
import { QUOTA_CONFIG_MAP, type ConfigMapObject } from "./quota.ts";
import { isKept, type CachedTask } from "./kept-task.ts";
import { cachedTask } from "./task-object.ts";

export interface Caches {
  readonly tasks: Reflector<CachedTask>;
  readonly providers: Reflector<WireProvider>;
  readonly grants: Reflector<WireGrant>;
  readonly namespaces: Reflector<KubeObject>;
  /** The one ConfigMap of the quota. */
  readonly quota: Reflector<ConfigMapObject>;
}

/** One of them, whatever it holds; its name is its key in `Caches`. */
export type Cache = Caches[keyof Caches];

/** All of them, for what is done with each alike. */
export function eachOf(caches: Caches): readonly Cache[] {
  return Object.values<Cache>({ ...caches });
}

export interface CachesDeps {
  readonly transport: Transport;
  /** The operator's own. */
  readonly namespace: string;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly random?: Random;
  /** By the cache's name: tasks, providers, grants, namespaces, quota. */
  readonly metrics?: (name: string) => WatchMetrics;
}

export function makeCaches(deps: CachesDeps): Caches {
  const { transport, namespace, metrics, log, clock, random } = deps;
  const common = (name: keyof Caches) => ({
    ...{ transport, name },
    ...(log && { log }),
    ...(clock && { clock }),
    ...(random && { random }),
    ...(metrics && { metrics: metrics(name) }),
  });
  const tasks: Reflector<CachedTask> = makeReflector<CachedTask>({
    ...common("tasks"),
    kind: TASKS,
    transform: (object) => {
      const kept = tasks.get(keyOf(object));
      return isKept(kept, object) ? kept : cachedTask(object);
    },
  });
  return {
    tasks,
    providers: makeReflector({ ...common("providers"), kind: PROVIDERS, transform: slimProvider }),
    grants: makeReflector({ ...common("grants"), kind: GRANTS, transform: slimGrant }),
    namespaces: makeReflector({ ...common("namespaces"), kind: NAMESPACES, transform: slimNamespace }),
    quota: makeReflector<ConfigMapObject>({
      ...common("quota"),
      kind: CONFIG_MAPS,
      namespace,
      fieldSelector: `metadata.name=${QUOTA_CONFIG_MAP}`,
      transform: withoutManagedFields,
    }),
  };
}
