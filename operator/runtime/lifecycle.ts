// The order of a process: parts start one after the other, each when the one before is ready, and stop in the reverse
// order, each when the one after has ended. Two deadlines bound the end. Knows no part in particular.
import { systemClock, type Cancel, type Clock } from "./clock.ts";
import { silent, type Log } from "./log.ts";
import { onAbort, type Signals } from "./signals.ts";

export interface Part {
  readonly name: string;
  /**
   * Works until stopped. Calls `ready` once, when the next part may start. To end before `stop` is a failure of the
   * process, whether it resolves or rejects.
   */
  run(signals: Signals, ready: () => void): Promise<void>;
}

export interface LifecycleSettings {
  /** For each part to become ready. */
  readonly startMs: number;
  /** From "not ready" to the first stop: time for load balancers to notice. */
  readonly quietMs: number;
  /** For all parts to stop by themselves; then `force` is aborted. */
  readonly drainMs: number;
  /** After that, parts are left behind. quietMs + drainMs + forceMs must fit into the pod's grace period. */
  readonly forceMs: number;
}

export interface LifecycleDeps {
  readonly parts: readonly Part[];
  readonly log?: Log;
  readonly clock?: Clock;
  readonly settings?: Partial<LifecycleSettings>;
}

export interface Outcome {
  readonly ended: "stopped" | "failed";
  /** The part that failed, and why. */
  readonly part?: string;
  readonly error?: unknown;
  /** Parts were told to break off. */
  readonly forced: boolean;
  /** Parts that had not ended when time was up. */
  readonly leftBehind: readonly string[];
}

export interface Lifecycle {
  /** Never rejects. `force` skips the drain. */
  run(signals: Signals): Promise<Outcome>;
  /** Every part is ready and nothing is stopping. */
  isReady(): boolean;
  isStopping(): boolean;
}

const SETTINGS: LifecycleSettings = { startMs: 120_000, quietMs: 0, drainMs: 20_000, forceMs: 5_000 };

interface Running {
  readonly name: string;
  readonly stop: AbortController;
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  isStopping: boolean;
  hasEnded: boolean;
}

type Failure = Pick<Outcome, "part" | "error">;

interface State {
  readonly parts: readonly Part[];
  readonly log: Log;
  readonly clock: Clock;
  readonly settings: LifecycleSettings;
  readonly force: AbortController;
  readonly failed: PromiseWithResolvers<Failure>;
  readonly running: Running[];
  phase: "starting" | "ready" | "stopping";
}

/** Runs once. */
export function makeLifecycle(deps: LifecycleDeps): Lifecycle {
  const { parts, log = silent, clock = systemClock } = deps;
  const settings = { ...SETTINGS, ...deps.settings };
  const begin = { force: new AbortController(), failed: Promise.withResolvers<Failure>(), running: [] };
  const state: State = { parts, log, clock, settings, ...begin, phase: "starting" };
  return {
    run: (signals) => run(state, signals),
    isReady: () => state.phase === "ready",
    isStopping: () => state.phase === "stopping",
  };
}

async function run(state: State, { stop, force }: Signals): Promise<Outcome> {
  const stopped = Promise.withResolvers<undefined>();
  const begin = (): void => {
    state.phase = "stopping";
    stopped.resolve(undefined);
  };
  const unlisten = [
    onAbort(stop, begin),
    onAbort(force, () => {
      state.force.abort(force.reason);
      begin();
    }),
  ];
  const isOver = Promise.race([stopped.promise, state.failed.promise]);

  await Promise.race([startAll(state), isOver]);
  const failure = await isOver;
  if (failure) state.log("error", "part.failed", { ...failure });

  const leftBehind = await stopAll(state, failure ? 0 : state.settings.quietMs);
  for (const end of unlisten) end();
  const forced = state.force.signal.aborted;
  return { ended: failure ? "failed" : "stopped", ...failure, forced, leftBehind };
}

async function startAll(state: State): Promise<void> {
  for (const part of state.parts) {
    if (state.phase === "stopping") return;
    const running = start(state, part);
    state.running.push(running);
    await withinTime(state, running);
  }
  if (state.phase === "starting") state.phase = "ready";
}

function fail(state: State, failure: Failure): void {
  state.phase = "stopping"; // nothing more is started
  state.failed.resolve(failure);
}

function start(state: State, part: Part): Running {
  const { force, log } = state;
  const stop = new AbortController();
  const ready = Promise.withResolvers<undefined>();
  const signals = { stop: stop.signal, force: force.signal };
  const run = async (): Promise<void> => part.run(signals, () => ready.resolve(undefined));
  const running = { name: part.name, stop, ready: ready.promise, isStopping: false, hasEnded: false };

  const end = (error: unknown): void => {
    result.hasEnded = true;
    if (!result.isStopping) fail(state, { part: part.name, error });
    else if (error) log("warn", "part.ended-badly", { part: part.name, error });
  };
  const result: Running = {
    ...running,
    ended: run().then(
      () => end(undefined),
      (error: unknown) => end(error ?? new Error("rejected without a reason")),
    ),
  };
  return result;
}

async function withinTime(state: State, { name, ready, ended }: Running): Promise<void> {
  const { clock, settings } = state;
  const cancel = clock.after(settings.startMs, () => {
    fail(state, { part: name, error: new Error(`cannot start ${name}: not ready after ${settings.startMs} ms`) });
  });
  await Promise.race([ready, ended]);
  cancel();
}

// Resolves with the names of the parts that did not end.
async function stopAll(state: State, quietMs: number): Promise<readonly string[]> {
  const { clock, settings, log, force, running } = state;
  state.phase = "stopping";
  if (quietMs > 0) await quiet(state, quietMs);

  const gaveUp = Promise.withResolvers<undefined>();
  const cancels: Cancel[] = [];
  const unlisten = onAbort(force.signal, () => {
    for (const part of running) halt(part); // no order any more
    cancels.push(clock.after(settings.forceMs, () => gaveUp.resolve(undefined)));
  });
  const tooLate = new Error(`the drain took longer than ${settings.drainMs} ms`);
  cancels.push(clock.after(settings.drainMs, () => force.abort(tooLate)));

  for (const part of running.toReversed()) {
    halt(part);
    await Promise.race([part.ended, gaveUp.promise]);
    log("info", part.hasEnded ? "part.stopped" : "part.left-behind", { part: part.name });
  }
  unlisten();
  for (const cancel of cancels) cancel();
  return running.filter(({ hasEnded }) => !hasEnded).map(({ name }) => name);
}

function halt(part: Running): void {
  part.isStopping = true;
  part.stop.abort(new Error("the process is stopping"));
}

function quiet({ clock, force }: State, quietMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(quietMs, resolve);
    onAbort(force.signal, () => {
      cancel();
      resolve();
    });
  });
}
