// A signal that ends with its parent or by itself after a time, and leaves no timer or listener behind.
import { asError, type Clock } from "./clock.ts";

export interface Deadline {
  readonly signal: AbortSignal;
  /** True when the time was up, and not the parent's wish. */
  expired(): boolean;
  /** Starts the time anew. */
  extend(): void;
  /** Must be called when the work is done. */
  clear(): void;
}

/** `afterMs` may be Infinity. `late` makes the reason that the signal carries. */
export function makeDeadline(clock: Clock, parent: AbortSignal, afterMs: number, late: () => Error): Deadline {
  const controller = new AbortController();
  let startedMs = clock.monotonicMs();
  let isExpired = false;
  let cancel = (): void => undefined;

  const check = (): void => {
    const leftMs = startedMs + afterMs - clock.monotonicMs();
    if (leftMs > 0) {
      cancel = clock.after(leftMs, check); // extended since
      return;
    }
    isExpired = true;
    controller.abort(late());
  };
  const follow = (): void => controller.abort(asError(parent.reason));

  if (parent.aborted) follow();
  else {
    parent.addEventListener("abort", follow, { once: true });
    if (Number.isFinite(afterMs)) cancel = clock.after(afterMs, check);
  }

  return {
    signal: controller.signal,
    expired: () => isExpired,
    extend: () => {
      startedMs = clock.monotonicMs();
    },
    clear: () => {
      cancel();
      parent.removeEventListener("abort", follow);
    },
  };
}
