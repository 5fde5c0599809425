// How soon an idle contestant has written the status of one new object, beside one round trip to the same server at the same time.
import { MERGE_PATCH } from "../api.ts";
import { startContestant, type Contestant } from "./contestant.ts";
import type { Field } from "./field.ts";
import { nameOf, widgetOf, type Widget } from "./widget.ts";

export interface Latencies {
  /** From the first sign that the object exists (the answer to its creation, or its event) to the event of its status. */
  readonly reconcileMs: readonly number[];
  /** Of a status write by the bench itself, from sending to the answer. */
  readonly roundTripMs: readonly number[];
}

export interface Idle {
  readonly field: Field;
  readonly samples: number;
  readonly workers: number;
  readonly signal: AbortSignal;
}

/** Nobody's first calls are like the later ones: code is compiled, caches fill. */
const WARM_UP = 200;

/** One object at a time. */
export async function measureLatency(contestant: Contestant, options: Idle): Promise<Latencies> {
  const { field, samples, workers, signal } = options;
  const [{ namespace, collection }, probes] = [await field.makeNamespace(), await field.makeNamespace()];
  const count = samples + WARM_UP;
  const running = startContestant(contestant.command({ namespace, writes: count, workers }), field.kubeconfigPath);
  const sightings = watchSightings(field, collection);
  try {
    await running.said("ready", signal);
    await field.api.call("POST", probes.collection, widgetOf(probes.namespace, 0));
    const reconcileMs: number[] = [];
    const roundTripMs: number[] = [];
    for (let index = 0; index < count; index++) {
      const created = field.api.call("POST", collection, widgetOf(namespace, index)).then(() => performance.now());
      const { addedMs, statusMs } = await sightings.of(
        nameOf(index),
        AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
      );
      const tripMs = await roundTrip(field, probes.collection, index);
      if (index < WARM_UP) continue;
      reconcileMs.push(statusMs - Math.min(addedMs, await created));
      roundTripMs.push(tripMs);
    }
    await field.verify(collection, count);
    return { reconcileMs, roundTripMs };
  } finally {
    sightings.stop();
    await running.stop();
  }
}

async function roundTrip({ api }: Field, collection: string, index: number): Promise<number> {
  const sentMs = performance.now();
  const body = { status: { observed: String(index) } };
  await api.call("PATCH", `${collection}/${nameOf(0)}/status`, body, { contentType: MERGE_PATCH });
  return performance.now() - sentMs;
}

interface Sighting {
  readonly addedMs: number;
  readonly statusMs: number;
}

interface Sightings {
  of(name: string, signal: AbortSignal): Promise<Sighting>;
  stop(): void;
}

function watchSightings({ api }: Field, collection: string): Sightings {
  const stop = new AbortController();
  const added = new Map<string, number>();
  const seen = new Map<string, PromiseWithResolvers<Sighting>>();
  const sighting = (name: string): PromiseWithResolvers<Sighting> => {
    const known = seen.get(name) ?? Promise.withResolvers<Sighting>();
    seen.set(name, known);
    return known;
  };
  const failed = follow().then(() => Promise.reject(new Error("the watch ended")));
  failed.catch(() => undefined); // told to whoever waits

  async function follow(): Promise<void> {
    for await (const event of api.watch(`${collection}?watch=true&resourceVersion=0`, stop.signal)) {
      const nowMs = performance.now();
      const { object } = event as { readonly object: Widget };
      const { name } = object.metadata;
      const addedMs = added.get(name) ?? nowMs;
      added.set(name, addedMs);
      if (object.status?.observed !== undefined) sighting(name).resolve({ addedMs, statusMs: nowMs });
    }
  }

  return {
    of: (name, signal) => {
      const late = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
      return Promise.race([sighting(name).promise, failed, late]);
    },
    stop: () => stop.abort(),
  };
}
