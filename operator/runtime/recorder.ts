// Events for people (events.k8s.io/v1). Many equal ones become one with a count; too many are dropped. Nothing waits for
// an event, and nothing fails because of one. There must be one recorder per process, else nothing is ever equal.
import { makeBucket, type Bucket } from "./backoff.ts";
import { makeBell } from "./bell.ts";
import { asError, sleep, systemClock, type Clock } from "./clock.ts";
import { KubeError } from "./errors.ts";
import { makeEventSeries, noteDown, type Happening, type Noted } from "./event-series.ts";
import { silent, type Log } from "./log.ts";
import { makeRecent } from "./recent.ts";
import { onAbort, type Signals } from "./signals.ts";
import type { Transport } from "./transport.ts";

export { referenceTo, type Happening } from "./event-series.ts";

export interface Recorder {
  /** Never throws, never blocks. Beyond the limits the event is dropped and counted. */
  record(happening: Happening): void;
  /** Sends until stopped, then what is left; `force` gives that up. */
  run(signals: Signals): Promise<void>;
}

export interface RecorderMetrics {
  /** So many happenings are known to the API server now, alone or in a count. */
  sent(happenings: number): void;
  dropped(why: "queue" | "spam" | "refused"): void;
}

export interface RecorderDeps {
  readonly transport: Transport;
  /** Who reports: a domain-qualified name such as "example.org/widgets". */
  readonly controller: string;
  /** Which process: usually the pod's name. */
  readonly instance: string;
  readonly log?: Log;
  readonly metrics?: RecorderMetrics;
  readonly clock?: Clock;
}

const MAX_QUEUED = 1_000;
const MAX_OBJECTS = 4_096;
// Per object: this many at once, then one in five minutes.
const SPAM = { burst: 25, perSecond: 1 / 300 };
// How often a growing count is written.
const REFRESH_MS = 60_000;
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 1_000;

export function makeRecorder(deps: RecorderDeps): Recorder {
  const { clock = systemClock, log = silent, metrics } = deps;
  const queue: Noted[] = [];
  const bell = makeBell(clock);
  const isSpam = makeSpamFilter(clock);
  const told = (happenings: number): void => metrics?.sent(happenings);
  const series = makeEventSeries({ ...deps, clock, told });

  async function drain(signal: AbortSignal, maxTries: number): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const noted = next;
      const error = await persistently(clock, () => series.write(noted, signal), { signal, maxTries });
      if (error === undefined) continue;
      metrics?.dropped("refused");
      log("warn", "event.dropped", { error });
    }
  }

  async function refresh(signal: AbortSignal): Promise<void> {
    const error = await persistently(clock, () => series.refresh(signal), { signal, maxTries: 1 });
    if (error !== undefined) log("warn", "event.count-late", { error });
  }

  async function run({ stop, force }: Signals): Promise<void> {
    const unlisten = onAbort(stop, () => bell.ring());
    let refreshMs = clock.monotonicMs() + REFRESH_MS;
    while (!stop.aborted) {
      bell.hush();
      await drain(stop, MAX_TRIES);
      if (queue.length === 0) await bell.heard(REFRESH_MS);
      if (clock.monotonicMs() < refreshMs) continue;
      await refresh(stop);
      refreshMs = clock.monotonicMs() + REFRESH_MS;
    }
    unlisten();
    await drain(force, 1);
    await refresh(force);
  }

  return {
    record: (happening) => {
      if (isSpam(happening)) metrics?.dropped("spam");
      else if (queue.length >= MAX_QUEUED) metrics?.dropped("queue");
      else {
        queue.push(noteDown(happening, clock.date()));
        bell.ring();
      }
    },
    run,
  };
}

function makeSpamFilter(clock: Clock): (happening: Happening) => boolean {
  const buckets = makeRecent<Bucket>(MAX_OBJECTS);
  return ({ about }) => {
    const key = `${about.kind ?? ""} ${about.namespace ?? ""} ${about.name} ${about.uid ?? ""}`;
    const bucket = buckets.get(key) ?? makeBucket(clock, SPAM);
    buckets.set(key, bucket);
    return !bucket.tryTake();
  };
}

/** Why it was given up; undefined when it was done. What is broken off by `stop` is lost: one event, not the process. */
async function persistently(
  clock: Clock,
  send: () => Promise<void>,
  { signal, maxTries }: { readonly signal: AbortSignal; readonly maxTries: number },
): Promise<Error | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      await send();
      return undefined;
    } catch (error) {
      if (tries >= maxTries || signal.aborted || !mayPass(error)) return asError(error);
      await sleep(clock, FIRST_WAIT_MS * 2 ** (tries - 1), signal).catch(() => undefined);
    }
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 0 || error.status === 429 || error.status >= 500);
}
