// A time limit on one wait, joined with the caller's signal. Leaves no timer and no listener behind once cleared.

export interface Limit {
  /** Aborted with the caller's reason, or with `late()` when the time is up. */
  readonly signal: AbortSignal;
  /** Takes the time limit away; the caller's signal still counts. */
  lift(): void;
  /** Ends both; must be called when the wait is over. */
  clear(): void;
}

// A longer delay overflows the timer and would fire at once.
const MAX_TIMER_MS = 2_147_483_647;

/** `afterMs` may be Infinity. */
export function makeLimit(parent: AbortSignal, afterMs: number, late: () => Error): Limit {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  const timer = Number.isFinite(afterMs)
    ? setTimeout(() => controller.abort(late()), Math.min(Math.max(afterMs, 0), MAX_TIMER_MS))
    : undefined;
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });

  return {
    signal: controller.signal,
    lift: () => clearTimeout(timer),
    clear: () => {
      clearTimeout(timer);
      parent.removeEventListener("abort", follow);
    },
  };
}
