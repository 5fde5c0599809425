// Writes events to the API server: the first of its kind as an object, equal ones as a count on it.
import { randomUUID } from "node:crypto";
import type { Clock } from "./clock.ts";
import { isAlreadyExists, isNotFound } from "./errors.ts";
import { microTime } from "./lease.ts";
import { keyOf, type KubeObject, type ResourceKind } from "./objects.ts";
import { makeRecent } from "./recent.ts";
import { makeResource } from "./resources.ts";
import type { Transport } from "./transport.ts";

export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface Happening {
  readonly about: ObjectReference;
  readonly type: "Normal" | "Warning";
  /** PascalCase, a fixed word: part of what makes events equal. */
  readonly reason: string;
  /** What was done or tried, PascalCase, a fixed word. */
  readonly action: string;
  /** For people. Not part of what makes events equal: of a series the first note stays. Cut at 1 kB. */
  readonly note: string;
  readonly related?: ObjectReference;
}

/** What an event is about. */
export function referenceTo(object: KubeObject): ObjectReference {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    ...(apiVersion && { apiVersion }),
    ...(kind && { kind }),
    name,
    ...(namespace && { namespace }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}

/** A happening with what makes writing it twice harmless. */
export interface Noted {
  readonly happening: Happening;
  readonly id: string;
  readonly date: Date;
}

export function noteDown(happening: Happening, date: Date): Noted {
  return { happening, id: randomUUID().replaceAll("-", "").slice(0, 16), date };
}

export interface EventSeries {
  /** Throws KubeError when the server did not take it; the same note may be written again. One that is only counted is not lost. */
  write(noted: Noted, signal: AbortSignal): Promise<void>;
  /** Writes the counts that have grown. Throws KubeError; what is left is written by the next one. */
  refresh(signal: AbortSignal): Promise<void>;
}

export interface EventSeriesDeps {
  readonly transport: Transport;
  readonly controller: string;
  readonly instance: string;
  readonly clock: Clock;
  /** So many happenings are known to the API server now that it did not know before. */
  readonly told: (happenings: number) => void;
}

const EVENTS: ResourceKind = { group: "events.k8s.io", version: "v1", plural: "events", namespaced: true };
const MAX_SERIES = 4_096;
// Equal events belong together while no more than this lies between them.
const GAP_MS = 360_000;
const MAX_NOTE_BYTES = 1_024;
const MAX_NAME = 200;

interface Series {
  readonly eventKey: string;
  lastId: string;
  count: number;
  writtenCount: number;
  seenMs: number;
  seenAt: Date;
}

export function makeEventSeries(deps: EventSeriesDeps): EventSeries {
  const { transport, clock, told } = deps;
  const events = makeResource<KubeObject>(transport, EVENTS);
  const known = makeRecent<Series>(MAX_SERIES);

  async function begin(key: string, noted: Noted, signal: AbortSignal): Promise<void> {
    const event = eventOf(deps, noted);
    await events.create(event, { signal }).catch(unlessExists);
    const counts = { lastId: noted.id, count: 1, writtenCount: 1, seenMs: clock.monotonicMs(), seenAt: noted.date };
    known.set(key, { eventKey: keyOf(event), ...counts });
    told(1);
  }

  // An event that the server has already thrown away needs no count.
  async function writeCount(series: Series, signal: AbortSignal): Promise<void> {
    const { count, seenAt, writtenCount } = series;
    const patch = { series: { count, lastObservedTime: microTime(seenAt) } };
    await events.patch(series.eventKey, patch, { signal }).catch(unlessGone);
    series.writtenCount = count;
    told(count - writtenCount);
  }

  return {
    write: async (noted, signal) => {
      const key = keyOfSeries(noted.happening);
      const series = known.get(key);
      if (!series || clock.monotonicMs() - series.seenMs > GAP_MS) {
        await begin(key, noted, signal);
        return;
      }
      if (series.lastId !== noted.id) {
        series.count += 1;
        series.lastId = noted.id;
        series.seenMs = clock.monotonicMs();
        series.seenAt = noted.date;
      }
      // The first repetition is shown at once, so that a loop can be seen; the others, or when it can't be, with the next refresh.
      if (series.writtenCount === 1) await writeCount(series, signal).catch(() => undefined);
    },
    refresh: async (signal) => {
      for (const [key, series] of [...known.entries()]) {
        if (series.count > series.writtenCount) await writeCount(series, signal);
        if (clock.monotonicMs() - series.seenMs > GAP_MS) known.delete(key);
      }
    },
  };
}

function eventOf({ controller, instance }: EventSeriesDeps, { happening, id, date }: Noted): KubeObject {
  const { about, related, type, reason, action, note } = happening;
  const stem = about.name.slice(0, MAX_NAME).replace(/[^a-z0-9]+$/, "");
  const event = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: `${stem}.${id}`, namespace: about.namespace ?? "default" }, // "default" for cluster-scoped objects
    eventTime: microTime(date),
    reportingController: controller,
    reportingInstance: instance,
    regarding: about,
    ...(related && { related }),
    ...{ type, reason, action, note: cut(note) },
  };
  return event;
}

function keyOfSeries({ about, related, type, reason, action }: Happening): string {
  return JSON.stringify([about.kind, about.namespace, about.name, about.uid, related?.uid, type, reason, action]);
}

function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= MAX_NOTE_BYTES) return note;
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_NOTE_BYTES - 3), { stream: true }); // no half characters
  return `${text}…`;
}

function unlessExists(error: unknown): void {
  if (!isAlreadyExists(error)) throw error; // an earlier try of the same write did arrive
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
