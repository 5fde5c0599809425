// A bound on work at once: calls, transfers, threads. Who waits for a slot waits with a signal, in a line that is bounded too.

/** Gives a slot back. More than once does nothing. */
export type Release = () => void;

export interface Slots {
  /**
   * The lowest `urgency` comes first (default 0), then the longest wait. Rejects with the signal's reason when aborted before or
   * while waiting, and with an Error when the line is full.
   */
  take(signal: AbortSignal, urgency?: number): Promise<Release>;
  /** How many wait. */
  waiting(): number;
}

interface Waiter {
  readonly urgency: number;
  readonly enter: () => void;
}

interface State {
  readonly limit: () => number;
  readonly line: Waiter[];
  taken: number;
}

const MAX_WAITING = 10_000;

/** `limit` is read at each turn, so that a changed quota counts from the next one on. Less than 1 counts as 1: nobody would ever enter. */
export function makeSlots(limit: () => number): Slots {
  const state: State = { limit, line: [], taken: 0 };
  return {
    take: async (signal, urgency = 0) => {
      signal.throwIfAborted();
      if (state.line.length === 0 && isFree(state)) return hold(state);
      if (state.line.length >= MAX_WAITING) throw new Error(`cannot wait for a slot: ${MAX_WAITING} wait already`);
      return wait(state, urgency, signal);
    },
    waiting: () => state.line.length,
  };
}

function isFree({ limit, taken }: State): boolean {
  return taken < Math.max(1, limit());
}

function hold(state: State): Release {
  state.taken += 1;
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    state.taken -= 1;
    while (isFree(state) && state.line.length > 0) state.line.shift()?.enter();
  };
}

function wait(state: State, urgency: number, signal: AbortSignal): Promise<Release> {
  const { line } = state;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      line.splice(line.indexOf(waiter), 1);
      reject(signal.reason as Error);
    };
    const enter = (): void => {
      signal.removeEventListener("abort", leave);
      resolve(hold(state));
    };
    const waiter: Waiter = { urgency, enter };
    signal.addEventListener("abort", leave, { once: true });
    const behind = line.findIndex((other) => other.urgency > urgency);
    line.splice(behind === -1 ? line.length : behind, 0, waiter);
  });
}
