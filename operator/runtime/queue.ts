// Which key is worked on next. A key is never handed out twice at once, and never waits twice. Holds keys only: the
// state is read when the work begins. Does not run the work.
import { fullJitterMs, makeBucket, type Bucket } from "./backoff.ts";
import { systemClock, type Cancel, type Clock, type Random } from "./clock.ts";
import { makeLanes, mergeWishes, type Lanes, type Priority, type Waiting } from "./lanes.ts";

export interface AddOptions {
  /** Not before this time; the earliest wish for a key wins. Default 0. */
  readonly afterMs?: number;
  /** Default "live". The higher wish for a key wins. */
  readonly priority?: Priority;
}

export interface RetryOptions {
  /** Never earlier than this (Retry-After). */
  readonly floorMs?: number;
  /** A lower limit for the backoff of cheap faults. */
  readonly ceilingMs?: number;
}

export interface Taken {
  readonly key: string;
  readonly priority: Priority;
  /** How long it was ready before somebody took it. */
  readonly waitedMs: number;
}

export interface Queue {
  /** False when the key was dropped: the queue is full or shut down. */
  add(key: string, options?: AddOptions): boolean;
  /** The next key; `done` must follow. Undefined once the queue is shut down. */
  take(): Promise<Taken | undefined>;
  /** The work on a key is over. What was added meanwhile is worked on once more. */
  done(key: string): void;
  /** Adds the key after its backoff; called between `take` and `done`. Returns the wait. */
  retry(key: string, options?: RetryOptions): number;
  /** The key succeeded: its backoff starts anew. */
  forget(key: string): void;
  /** Faults in a row. */
  attempts(key: string): number;
  /** Keys that are ready. */
  depth(priority?: Priority): number;
  /** Keys that wait, ready or not. */
  size(): number;
  /** Milliseconds that each key in work has been in work. */
  inFlightMs(): readonly number[];
  /** Hands nothing out any more; what is in flight ends with `done`. */
  shutDown(): void;
}

export interface QueueMetrics {
  added(): void;
  retried(): void;
  taken(waitedSeconds: number): void;
  worked(seconds: number): void;
}

export interface QueueSettings {
  readonly baseMs: number;
  readonly ceilingMs: number;
  /** Retries of all keys together. */
  readonly retriesPerSecond: number;
  readonly retryBurst: number;
  /** Keys that may wait. */
  readonly maxKeys: number;
  /** One of so many turns goes to the background while live work waits. */
  readonly backgroundEvery: number;
}

export interface QueueDeps {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly metrics?: QueueMetrics;
  readonly settings?: Partial<QueueSettings>;
}

const SETTINGS: QueueSettings = {
  baseMs: 500,
  ceilingMs: 300_000,
  retriesPerSecond: 50,
  retryBurst: 100,
  maxKeys: 1_000_000,
  backgroundEvery: 10,
};

interface Flight {
  readonly sinceMs: number;
  /** What was added while the key was in work. */
  again: Waiting | undefined;
}

interface State {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: QueueMetrics | undefined;
  readonly settings: QueueSettings;
  readonly lanes: Lanes;
  readonly flights: Map<string, Flight>;
  readonly faults: Map<string, number>;
  readonly bucket: Bucket;
  readonly takers: ((taken: Taken | undefined) => void)[];
  isDown: boolean;
  alarm: { readonly dueMs: number; readonly cancel: Cancel } | undefined;
}

/** Everything about time and chance is passed in; the metrics are told, never asked. */
export function makeQueue(deps: QueueDeps = {}): Queue {
  const { clock = systemClock, random = Math.random } = deps;
  const settings = { ...SETTINGS, ...deps.settings };
  const state: State = {
    clock,
    random,
    metrics: deps.metrics,
    settings,
    lanes: makeLanes(settings.backgroundEvery),
    flights: new Map(),
    faults: new Map(),
    bucket: makeBucket(clock, { perSecond: settings.retriesPerSecond, burst: settings.retryBurst }),
    takers: [],
    isDown: false,
    alarm: undefined,
  };
  const { lanes, flights, faults } = state;

  return {
    add: (key, options = {}) => add(state, wishOf(clock, key, options)),
    take: () => take(state),
    done: (key) => done(state, key),
    retry: (key, options = {}) => retry(state, key, options),
    forget: (key) => void faults.delete(key),
    attempts: (key) => faults.get(key) ?? 0,
    depth: (priority) => (priority ? lanes.ready(priority) : lanes.ready("live") + lanes.ready("background")),
    size: () => lanes.size(),
    inFlightMs: () => [...flights.values()].map(({ sinceMs }) => clock.monotonicMs() - sinceMs),
    shutDown: () => shutDown(state),
  };
}

function wishOf(clock: Clock, key: string, { afterMs = 0, priority = "live" }: AddOptions): Waiting {
  if (Number.isNaN(afterMs)) throw new Error(`cannot add ${key}: afterMs is not a number`);
  return { key, dueMs: clock.monotonicMs() + afterMs, priority };
}

function add(state: State, wish: Waiting): boolean {
  const { lanes, flights, settings } = state;
  const { key } = wish;
  const flight = flights.get(key);
  const hasPlace = flight !== undefined || lanes.has(key) || lanes.size() < settings.maxKeys;
  if (state.isDown || !hasPlace) return false;

  state.metrics?.added();
  if (flight) flight.again = mergeWishes(flight.again ?? wish, wish);
  else lanes.put(wish);
  handOut(state);
  return true;
}

function take(state: State): Promise<Taken | undefined> {
  if (state.isDown) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    state.takers.push(resolve);
    handOut(state);
  });
}

function done(state: State, key: string): void {
  const flight = state.flights.get(key);
  if (!flight) throw new Error("cannot end the work on a key: it is not in work");
  state.flights.delete(key);
  state.metrics?.worked((state.clock.monotonicMs() - flight.sinceMs) / 1000);
  if (state.isDown || !flight.again) return;
  state.lanes.put(flight.again);
  handOut(state);
}

function retry(state: State, key: string, options: RetryOptions): number {
  const { settings, faults } = state;
  const attempt = faults.get(key) ?? 0;
  const ceilingMs = options.ceilingMs ?? settings.ceilingMs;
  const backoffMs = fullJitterMs({ baseMs: settings.baseMs, ceilingMs }, attempt, state.random);
  const turnMs = Math.min(state.bucket.takeMs(), settings.ceilingMs);
  const afterMs = Math.max(backoffMs, options.floorMs ?? 0, turnMs);

  faults.set(key, attempt + 1);
  state.metrics?.retried();
  add(state, wishOf(state.clock, key, { afterMs, priority: "background" }));
  return afterMs;
}

function shutDown(state: State): void {
  state.isDown = true;
  state.alarm?.cancel();
  state.alarm = undefined;
  for (const taker of state.takers.splice(0)) taker(undefined);
}

// Gives what is ready to whoever waits, and sets the alarm for what is not.
function handOut(state: State): void {
  const { clock, lanes, takers } = state;
  const nowMs = clock.monotonicMs();
  lanes.advance(nowMs);
  for (let taker = takers[0]; taker; taker = takers[0]) {
    const next = lanes.next();
    if (!next) break;
    takers.shift();
    taker(begin(state, next, nowMs));
  }

  const dueMs = lanes.nextDueMs();
  if (dueMs === state.alarm?.dueMs) return;
  state.alarm?.cancel();
  state.alarm = dueMs === undefined ? undefined : { dueMs, cancel: clock.after(dueMs - nowMs, () => ring(state)) };
}

function ring(state: State): void {
  state.alarm = undefined;
  handOut(state);
}

function begin(state: State, { key, priority, dueMs }: Waiting, nowMs: number): Taken {
  state.flights.set(key, { sinceMs: nowMs, again: undefined });
  state.metrics?.taken((nowMs - dueMs) / 1000);
  return { key, priority, waitedMs: nowMs - dueMs };
}
