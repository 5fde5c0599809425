// A clock that moves only when told, and runs what falls due on the way, in order.
import type { Clock } from "../../../operator/runtime/clock.ts";

export interface ManualClock extends Clock {
  /** Moves on, lets each timer run at its own time, and gives promises their turn in between. */
  advance(byMs: number): Promise<void>;
  /** Moves on without running a timer: the process stood still. */
  freeze(byMs: number): void;
  /** Timers that have not run. */
  pending(): number;
}

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

export function makeManualClock(startMs = 1_000): ManualClock {
  const timers = new Set<Timer>();
  let nowMs = startMs;

  const firstDue = (untilMs: number): Timer | undefined =>
    [...timers].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];

  return {
    monotonicMs: () => nowMs,
    date: () => new Date(Date.UTC(2030, 0, 1) + nowMs),
    after: (afterMs, run) => {
      const timer = { dueMs: nowMs + Math.max(0, afterMs), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: async (byMs) => {
      const untilMs = nowMs + byMs;
      await settle();
      for (let timer = firstDue(untilMs); timer; timer = firstDue(untilMs)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.dueMs);
        timer.run();
        await settle();
      }
      nowMs = untilMs;
      await settle();
    },
    freeze: (byMs) => {
      nowMs += byMs;
    },
    pending: () => timers.size,
  };
}

/** Lets every promise that can go on do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
