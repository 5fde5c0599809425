// How much of the last minute the event loop stood still: a timer that should come twice a second, and its delay.
import { systemClock, type Cancel, type Clock } from "./clock.ts";

export interface LoopMeter {
  /** 0 to 1. */
  stalledShare(): number;
  longestStallMs(): number;
  stop(): void;
}

const TICK_MS = 500;
const WINDOW_MS = 60_000;
// What a busy but healthy process shows.
const USUAL_MS = 50;

/** Measures from now on, until stopped. */
export function makeLoopMeter(clock: Clock = systemClock): LoopMeter {
  const stalls: { readonly atMs: number; readonly lateMs: number }[] = [];
  let cancel: Cancel = () => undefined;

  function tick(dueMs: number): void {
    const atMs = clock.monotonicMs();
    const lateMs = atMs - dueMs;
    if (lateMs > USUAL_MS) stalls.push({ atMs, lateMs });
    forget(atMs);
    wait();
  }
  function wait(): void {
    const dueMs = clock.monotonicMs() + TICK_MS;
    cancel = clock.after(TICK_MS, () => tick(dueMs));
  }
  function forget(nowMs: number): void {
    while (stalls[0] && stalls[0].atMs < nowMs - WINDOW_MS) stalls.shift();
  }
  wait();

  return {
    stalledShare: () => {
      forget(clock.monotonicMs());
      return Math.min(1, stalls.reduce((sum, { lateMs }) => sum + lateMs, 0) / WINDOW_MS);
    },
    longestStallMs: () => {
      forget(clock.monotonicMs());
      return stalls.reduce((longest, { lateMs }) => Math.max(longest, lateMs), 0);
    },
    stop: () => cancel(),
  };
}
