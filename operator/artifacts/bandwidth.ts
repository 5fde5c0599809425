// How fast all downloads of this process together may be.
import { setTimeout as sleep } from "node:timers/promises";

export interface Bandwidth {
  /** Resolves when these bytes fit. First come, first served. Rejects with the signal's reason when aborted. */
  spend(bytes: number, signal: AbortSignal): Promise<void>;
}

interface Time {
  readonly nowMs: () => number;
  readonly wait: (afterMs: number, signal: AbortSignal) => Promise<void>;
}

const REAL_TIME: Time = {
  nowMs: () => performance.now(),
  wait: async (afterMs, signal) => {
    await sleep(afterMs, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  },
};

/** Shorter waits are left out and made up for by the next one: timers are not that exact. */
const SHORTEST_WAIT_MS = 5;

/** `bytesPerSecond` may be Infinity. Time in which nothing was spent is not saved up. */
export function makeBandwidth(bytesPerSecond: number, { nowMs, wait }: Time = REAL_TIME): Bandwidth {
  let freeAtMs = 0;
  return {
    async spend(bytes, signal) {
      const now = nowMs();
      const beginMs = Math.max(now, freeAtMs);
      freeAtMs = beginMs + (bytes / bytesPerSecond) * 1000;
      if (beginMs - now >= SHORTEST_WAIT_MS) await wait(beginMs - now, signal);
    },
  };
}
