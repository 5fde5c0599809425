// Works on the keys of a queue: a bounded number at once, each with a deadline, every fault contained. Knows keys, not
// what they name; what the work is belongs to `reconcile`.
import { asError, systemClock, type Cancel, type Clock, type Random } from "./clock.ts";
import type { Priority } from "./lanes.ts";
import { silent, type Log } from "./log.ts";
import { makePass, type Next, type PassMetrics } from "./pass.ts";
import { makeQueue, type AddOptions, type Queue, type QueueMetrics, type QueueSettings } from "./queue.ts";
import { onAbort, type Signals } from "./signals.ts";
import { makeSlices } from "./slices.ts";

export interface Controller {
  readonly name: string;
  /** Asks for a pass. Ignored while the controller does not run: `run` begins with every key there is. */
  enqueue(key: string, options?: AddOptions): void;
  /** Works until stopped and drained. Resolves also when passes ignore their signal, and says so in the log. */
  run(signals: Signals): Promise<void>;
  /** The age of the oldest pass under way; 0 when there is none. */
  longestPassMs(): number;
  /** Keys that are ready and not begun. */
  depth(): number;
}

/** How busy a controller is right now. */
export interface ControllerLoad {
  readonly maxWorkers: number;
  activeWorkers(): number;
  depth(priority: Priority): number;
  inFlightMs(): readonly number[];
}

export interface ControllerMetrics extends PassMetrics {
  readonly queue: QueueMetrics;
  /** Called once; `load` is asked at each scrape. */
  observe(load: ControllerLoad): void;
}

export interface ControllerSettings {
  /** Passes at once. */
  readonly workers: number;
  /** A pass is told to end after this time. */
  readonly passTimeoutMs: number;
  /** After `stop`, passes under way have this long before they are broken off. */
  readonly drainMs: number;
  /** After that, passes that ignore their signal are abandoned. */
  readonly abandonMs: number;
  readonly queue: Partial<QueueSettings>;
}

export interface ControllerDeps {
  readonly name: string;
  /**
   * One pass over one key: look at everything, do one thing, say when to look again. Called for a key never twice at
   * once. May throw anything: the pass is repeated with backoff, unless it is a TerminalError. `retryAfterMs` on an error
   * is a floor for the wait. The signal is aborted at the deadline, on `force`, and after the drain.
   */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Next>;
  /** Every key there is; all of them get a pass when `run` begins. */
  readonly keys?: () => Iterable<string>;
  /** Asked before each pass, e.g. whether this process leads. When false the key is dropped: whoever may act has it too. */
  readonly mayAct?: () => boolean;
  readonly log?: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly settings?: Partial<ControllerSettings>;
}

const SETTINGS: ControllerSettings = {
  workers: 1,
  passTimeoutMs: 60_000,
  drainMs: 25_000,
  abandonMs: 5_000,
  queue: {},
};

// Dropped because the queue was full: every key is asked for again once there is room.
const REFILL_MS = 30_000;

interface State {
  readonly deps: ControllerDeps;
  readonly settings: ControllerSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** There is one only while the controller takes work. */
  open: Queue | undefined;
  /** There is one until the last pass has ended. */
  queue: Queue | undefined;
  active: number;
  cancelRefill: Cancel | undefined;
}

/** One controller for one kind of work. It may run again after it was stopped. */
export function makeController(deps: ControllerDeps): Controller {
  const { clock = systemClock, random = Math.random, log = silent } = deps;
  const settings = { ...SETTINGS, ...deps.settings };
  const idle = { open: undefined, queue: undefined, active: 0, cancelRefill: undefined };
  const state: State = { deps, settings, clock, random, log, ...idle };
  const inFlightMs = (): readonly number[] => state.queue?.inFlightMs() ?? [];
  deps.metrics?.observe({
    maxWorkers: settings.workers,
    activeWorkers: () => state.active,
    depth: (priority) => state.queue?.depth(priority) ?? 0,
    inFlightMs,
  });
  return {
    name: deps.name,
    enqueue: (key, options) => enqueue(state, key, options),
    run: (signals) => run(state, signals),
    longestPassMs: () => inFlightMs().reduce((a, b) => Math.max(a, b), 0),
    depth: () => state.queue?.depth() ?? 0,
  };
}

function enqueue(state: State, key: string, options?: AddOptions): void {
  const { open, deps, log, clock } = state;
  if (!open || open.add(key, options) || state.cancelRefill) return;
  log("error", "queue.full", { controller: deps.name, keys: open.size() });
  state.cancelRefill = clock.after(REFILL_MS, () => {
    state.cancelRefill = undefined;
    void enqueueAll(state);
  });
}

// An entry of the queue takes half a kilobyte, and there are no more passes a second for a longer line: keys join it as it
// gets shorter. However long it stays, the others join too, a lot a second: more than passes could be made.
const LONG_LINE = 5_000;
const LOT = 1_000;
const LOT_MS = 1_000;

/** Until every key is in the queue, or the queue is closed. */
async function enqueueAll(state: State): Promise<void> {
  const { clock, deps, open: queue } = state;
  const pause = makeSlices(clock);
  let count = 0;
  for (const key of deps.keys?.() ?? []) {
    enqueue(state, key, { priority: "background" });
    const turn = pause();
    if (turn) await turn;
    const isLong = ++count % LOT === 0 && (queue?.depth() ?? 0) >= LONG_LINE;
    if (isLong) await new Promise<void>((resolve) => void clock.after(LOT_MS, resolve));
    if (state.open !== queue) return;
  }
}

async function run(state: State, signals: Signals): Promise<void> {
  const { deps, settings, clock, random, log } = state;
  const { name, reconcile, metrics, mayAct = () => true } = deps;
  if (state.queue) throw new Error(`cannot run controller ${name}: it runs already`);

  const queue = makeQueue({ clock, random, settings: settings.queue, ...(metrics && { metrics: metrics.queue }) });
  state.open = state.queue = queue;
  const failed = enqueueAll(state).then(() => new Promise<never>(() => undefined)); // rejects as `keys` does

  const ending = makeEnding(state, signals, queue);
  const pass = makePass({ name, reconcile, mayAct, passTimeoutMs: settings.passTimeoutMs, queue, log, metrics, clock });
  const work = async (): Promise<void> => {
    for (let taken = await queue.take(); taken; taken = await queue.take()) {
      state.active += 1;
      await pass(taken, ending.force);
      state.active -= 1;
    }
  };
  await Promise.race([Promise.all(Array.from({ length: settings.workers }, work)), ending.abandoned, failed]);
  ending.clear();
  state.queue = undefined;
}

interface Ending {
  /** Aborted when passes must break off. */
  readonly force: AbortSignal;
  /** Resolves when passes under way are given up. */
  readonly abandoned: Promise<undefined>;
  clear(): void;
}

// stop → nothing is handed out → passes end by themselves, or are broken off after the drain → or are abandoned.
function makeEnding(state: State, signals: Signals, queue: Queue): Ending {
  const { deps, settings, clock, log } = state;
  const force = new AbortController();
  const abandoned = Promise.withResolvers<undefined>();
  let cancel: Cancel = () => undefined;

  const close = (): void => {
    state.open = undefined;
    state.cancelRefill?.();
    state.cancelRefill = undefined;
    queue.shutDown();
  };
  const abandon = (): void => {
    log("error", "controller.abandoned", { controller: deps.name, passes: queue.inFlightMs().length });
    abandoned.resolve(undefined);
  };
  const breakOff = (reason: Error): void => {
    close();
    cancel();
    force.abort(reason);
    cancel = clock.after(settings.abandonMs, abandon);
  };
  const drain = (): void => {
    if (force.signal.aborted) return;
    close();
    cancel = clock.after(settings.drainMs, () =>
      breakOff(new Error(`the drain took longer than ${settings.drainMs} ms`)),
    );
  };

  const unlisten = [
    onAbort(signals.force, () => breakOff(asError(signals.force.reason))),
    onAbort(signals.stop, drain),
  ];
  return {
    force: force.signal,
    abandoned: abandoned.promise,
    clear: () => {
      cancel();
      for (const stop of unlisten) stop();
    },
  };
}
