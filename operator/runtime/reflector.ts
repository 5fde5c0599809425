// Keeps a store like a collection of the API server, for ever and through every fault of the server, the network or a
// handler. Tells what changed; does not know what it is for.
import { makeRestartBackoff } from "./backoff.ts";
import { asError, orAborted, sleep, systemClock, type Clock, type Random } from "./clock.ts";
import { retryAfterOf } from "./errors.ts";
import { makeFollower, type FollowSettings, type WatchMetrics } from "./follow.ts";
import { silent, type Log } from "./log.ts";
import { withoutManagedFields, type KubeObject, type ResourceKind } from "./objects.ts";
import type { Scope } from "./resources.ts";
import { makeStore, type ChangeHandler, type Store } from "./store.ts";
import type { Transport } from "./transport.ts";

export interface Reflector<T> extends Store<T> {
  readonly name: string;
  /** Register before `run`; a later handler is told the whole store first, as initial. */
  onChange(handler: ChangeHandler<T>): void;
  /** True once the store was whole and every handler was told; stays true. */
  hasSynced(): boolean;
  /** Rejects with the signal's reason. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Milliseconds since the server last said anything about this collection, bookmarks included. */
  heardAgoMs(): number;
  /** Milliseconds since the loop last did anything, be it to note a fault: large only when the loop itself is stuck. */
  progressAgoMs(): number;
  /** Goes on until aborted; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ReflectorDeps<T> extends Pick<Scope, "namespace" | "labelSelector" | "fieldSelector"> {
  readonly transport: Transport;
  readonly kind: ResourceKind;
  /** For logs, metrics and health. Default: the plural. */
  readonly name?: string;
  /** Shrinks what is kept. Default: without managed fields. */
  readonly transform?: (object: T) => T;
  readonly log?: Log;
  readonly metrics?: WatchMetrics;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly settings?: Partial<FollowSettings>;
}

const SETTINGS: FollowSettings = {
  pageSize: 500,
  idleMs: 70_000,
  lifetimeMs: 300_000,
  relistMs: 6 * 3_600_000,
  watchList: "auto",
};

/** Nothing is read before `run`. */
export function makeReflector<T extends KubeObject>(deps: ReflectorDeps<T>): Reflector<T> {
  const { kind, log = silent, metrics, clock = systemClock, random = Math.random } = deps;
  const { namespace, labelSelector, fieldSelector, name = kind.plural } = deps;
  const store = makeStore<T>(log);
  const synced = Promise.withResolvers<undefined>();
  let hasSynced = false;
  let heardMs = clock.monotonicMs();
  let progressMs = heardMs;

  const follower = makeFollower<T>({
    ...{ transport: deps.transport, kind, store, clock, random, metrics },
    scope: { namespace, labelSelector, fieldSelector },
    settings: { ...SETTINGS, ...deps.settings },
    admit: containing(deps.transform ?? withoutManagedFields, name, log),
    heard: () => (progressMs = heardMs = clock.monotonicMs()),
    whole: (how) => {
      log("info", "watch.listed", { name, how, objects: store.size() });
      hasSynced = true;
      synced.resolve(undefined);
    },
  });

  async function run(signal: AbortSignal): Promise<void> {
    const backoff = makeRestartBackoff(clock, random);
    for (;;) {
      const fault = await follower.round(signal).then(() => undefined, asError);
      progressMs = clock.monotonicMs();
      if (signal.aborted) return;
      if (!fault) continue;
      const waitMs = Math.max(backoff.nextMs(), retryAfterOf(fault) ?? 0);
      log("warn", "watch.restarted", { name, error: fault, waitMs: Math.round(waitMs) });
      await sleep(clock, waitMs, signal).catch(() => undefined);
    }
  }

  return {
    ...store,
    name,
    hasSynced: () => hasSynced,
    whenSynced: (signal) => orAborted(synced.promise, signal),
    heardAgoMs: () => clock.monotonicMs() - heardMs,
    progressAgoMs: () => clock.monotonicMs() - progressMs,
    run,
  };
}

// A transform that throws is a fault of the program; losing the object would hide it.
function containing<T>(transform: (object: T) => T, name: string, log: Log): (object: T) => T {
  return (object) => {
    try {
      return transform(object);
    } catch (error) {
      log("error", "watch.transform-failed", { name, error });
      return object;
    }
  };
}
