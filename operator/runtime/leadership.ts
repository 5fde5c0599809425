// One term of leadership: true until a moment on our own clock, unless it is renewed before. Knows no Lease.
import { type Cancel, type Clock } from "./clock.ts";

/** The reason of the signal that ends a term. */
export class LeadershipLost extends Error {
  constructor(why: string) {
    super(`cannot act as the leader any longer: ${why}`);
    this.name = "LeadershipLost";
  }
}

export interface Leadership {
  /** Aborted with LeadershipLost when the term is over against our will. */
  readonly lost: AbortSignal;
  /** Asks the clock, not a timer: also true to the facts right after the process stood still. */
  isValid(): boolean;
  /** The term holds until `untilMs`. */
  extend(untilMs: number): void;
  lose(why: string): void;
  /** The term ended in order: no timer remains. */
  end(): void;
}

export function makeLeadership(clock: Clock, firstUntilMs: number): Leadership {
  const controller = new AbortController();
  let untilMs = firstUntilMs;
  let cancel: Cancel = () => undefined;

  function lose(why: string): void {
    cancel();
    if (!controller.signal.aborted) controller.abort(new LeadershipLost(why));
  }

  function isValid(): boolean {
    if (controller.signal.aborted) return false;
    if (clock.monotonicMs() < untilMs) return true;
    lose("the lease was not renewed in time");
    return false;
  }

  function watch(): void {
    cancel = clock.after(untilMs - clock.monotonicMs(), () => {
      if (isValid()) watch();
    });
  }
  watch();

  return {
    lost: controller.signal,
    isValid,
    extend: (laterMs) => {
      untilMs = laterMs;
    },
    lose,
    end: () => cancel(),
  };
}
