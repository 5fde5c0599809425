// Time as an argument. Durations are measured on a clock that never goes back; dates are only for people to read.

export type Cancel = () => void;

export interface Clock {
  /** Milliseconds since an arbitrary start; never goes back and does not follow wall-clock corrections. */
  monotonicMs(): number;
  /** The wall clock, for what people read. Never compared with another machine's. */
  date(): Date;
  /** Calls `run` once after `afterMs`, unless cancelled. */
  after(afterMs: number, run: () => void): Cancel;
}

/** A number in [0, 1). */
export type Random = () => number;

// A longer delay overflows the timer and would fire at once.
const MAX_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  date: () => new Date(),
  after: (afterMs, run) => {
    const timer = setTimeout(run, Math.ceil(Math.min(Math.max(0, afterMs), MAX_TIMER_MS)));
    return () => clearTimeout(timer);
  },
};

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, afterMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(asError(signal.reason));
      return;
    }
    const stop = (): void => {
      cancel();
      reject(asError(signal.reason));
    };
    const cancel = clock.after(afterMs, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** The promise's end, or the signal's reason if that comes first; the work behind the promise is not stopped by it. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => undefined); // nobody may hear it any more
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(asError(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Anything may be thrown; what is passed on is an Error. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  // An error of another realm is no instance of ours.
  if (typeof thrown === "object" && thrown !== null && "message" in thrown) return thrown as Error;
  return new Error(`a value that is no Error was thrown: ${typeof thrown}`);
}
