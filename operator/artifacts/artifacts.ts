// The port `Artifacts` over S3 and guarded downloads. It holds the connections and the threads; no facts.
import type { Artifacts } from "../reconcile/ports.ts";
import type { AttemptId, TaskKey } from "../task/brand.ts";
import { makeSlots } from "../outbound/slots.ts";
import { makeOutbounds } from "./access.ts";
import type { OutputAccess } from "./access.ts";
import { makeBandwidth } from "./bandwidth.ts";
import { bring } from "./bring.ts";
import type { BringDeps } from "./bring.ts";
import { fetchAll } from "./fetch.ts";
import type { FetchDeps } from "./fetch.ts";
import { makeInspector } from "./inspect/inspector.ts";
import { makeKeys } from "./keys.ts";
import { makeLeftovers } from "./leftovers.ts";
import type { LeftoverDeps, Leftovers, Swept } from "./leftovers.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { ArtifactLimits } from "./limits.ts";
import { silentMeter } from "./meter.ts";
import type { Meter } from "./meter.ts";
import { checkStore } from "./self-test.ts";
import type { SelfTestDeps } from "./self-test.ts";
import { makeStoreClient } from "./store/client.ts";
import type { StoreSettings } from "./store/client.ts";
import { makeObjects } from "./store/objects.ts";
import { makeUploads } from "./store/upload.ts";

export interface ArtifactStore extends Artifacts {
  /**
   * Takes away everything at an attempt's place but the outputs of these names, whichever bucket and prefix they had when they were listed.
   * Only for an attempt that is over: whoever publishes under it later is too late. Rejects while the store is down.
   */
  keepOnly(names: readonly string[], attempt: Place, signal: AbortSignal): Promise<void>;
  /** Removes what attempts left that have ended, and what is an hour old and nobody knows. Safe at any time, in any process. */
  sweep(signal: AbortSignal): Promise<Swept>;
  /** Before the first fetch: throws an Error with a sentence that names the setting to look at. */
  checkStore(signal: AbortSignal): Promise<void>;
  /** After the last fetch: closes connections and threads. */
  close(): Promise<void>;
}

/** Where an attempt publishes. */
export interface Place {
  readonly attemptId: AttemptId;
  readonly taskKey: TaskKey;
}

export interface ArtifactDeps {
  readonly store: StoreSettings;
  readonly limits?: Partial<ArtifactLimits>;
  /** Undefined: the provider is gone or has no credential. */
  readonly accessTo: (provider: string) => OutputAccess | undefined;
  readonly statesOf: LeftoverDeps["statesOf"];
  readonly meter?: Meter;
  /** Wall clock. */
  readonly nowMs?: () => number;
}

export function makeArtifacts(deps: ArtifactDeps): ArtifactStore {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const meter = deps.meter ?? silentMeter;
  const store = openStore(deps, limits, meter);
  const { keys } = store;
  const outbounds = makeOutbounds(limits.streams);
  const inspector = makeInspector(makeSlots(() => limits.inspectors));

  const bandwidth = makeBandwidth(limits.bytesPerSecond);
  const { accessTo } = deps;
  const outboundFor: BringDeps["outboundFor"] = (access) => outbounds.for(access);
  const bringDeps: BringDeps = { ...store, limits, inspector, meter, bandwidth, accessTo, outboundFor };
  const fetchDeps: FetchDeps = {
    ...{ ...store, limits, streams: makeSlots(() => limits.streams), onLeft: () => meter.left("staging") },
    bring: (output, job) => bring(bringDeps, output, job),
  };

  return {
    async fetch(order, settings, signal) {
      const beganMs = performance.now();
      const ended = await fetchAll(fetchDeps, order, settings, signal);
      meter.fetched(settings.name, (performance.now() - beganMs) / 1000);
      return ended;
    },
    async keepOnly(names, { attemptId, taskKey }, signal) {
      const kept = new Set(names.map((name) => keys.published(taskKey, attemptId, name)));
      await store.clear(keys.publishedBy(taskKey, attemptId), signal, (key) => kept.has(key));
    },
    sweep: (signal) => store.sweep(signal),
    checkStore: (signal) => checkStore(store, signal),
    async close() {
      await Promise.all([outbounds.close(), inspector.close()]);
      store.close();
    },
  };
}

interface OpenStore extends SelfTestDeps {
  readonly clear: Leftovers["clear"];
  readonly bucket: string;
  readonly sweep: ArtifactStore["sweep"];
  readonly close: () => void;
}

function openStore(
  { store, statesOf, nowMs = Date.now }: ArtifactDeps,
  limits: ArtifactLimits,
  meter: Meter,
): OpenStore {
  const client = makeStoreClient(store);
  const keys = makeKeys(store.prefix);
  const objects = makeObjects(client);
  const uploads = makeUploads(client, objects, () => meter.left("upload"));
  const leftovers = makeLeftovers({ objects, uploads, keys, limits, statesOf, nowMs });
  return {
    ...{ objects, uploads, keys, bucket: client.bucket },
    clear: (prefix, signal, isKept) => leftovers.clear(prefix, signal, isKept),
    sweep: (signal) => leftovers.sweep(signal),
    close: () => client.close(),
  };
}
