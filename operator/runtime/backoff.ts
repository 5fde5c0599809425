// How long to wait after a fault: exponential with full jitter, and a token bucket over all keys together.
import type { Clock, Random } from "./clock.ts";

export interface BackoffSettings {
  readonly baseMs: number;
  readonly ceilingMs: number;
}

/** Full jitter: anywhere between nothing and base × 2^attempt, capped. */
export function fullJitterMs(settings: BackoffSettings, attempt: number, random: Random): number {
  return random() * Math.min(settings.ceilingMs, settings.baseMs * 2 ** Math.min(attempt, 40));
}

export interface Bucket {
  /** Takes one token, perhaps from the future: how long until it may be used. */
  takeMs(): number;
  /** Takes a token if there is one. */
  tryTake(): boolean;
}

/** `perSecond` on average, `burst` at once. */
export function makeBucket(clock: Clock, settings: { readonly perSecond: number; readonly burst: number }): Bucket {
  const { perSecond, burst } = settings;
  let tokens = burst;
  let filledMs = clock.monotonicMs();

  function fill(): void {
    const nowMs = clock.monotonicMs();
    tokens = Math.min(burst, tokens + ((nowMs - filledMs) / 1000) * perSecond);
    filledMs = nowMs;
  }

  return {
    takeMs: () => {
      fill();
      tokens -= 1;
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000;
    },
    tryTake: () => {
      fill();
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}

export interface RestartBackoff {
  /** The wait before the next try; grows while tries follow closely upon each other. */
  nextMs(): number;
}

/** For loops that must go on for ever: 0.8 s to 30 s with jitter; back to the start after two healthy minutes. */
export function makeRestartBackoff(clock: Clock, random: Random, settings = RESTART): RestartBackoff {
  let waitMs = settings.firstMs;
  let lastMs = -Infinity;
  return {
    nextMs: () => {
      const nowMs = clock.monotonicMs();
      if (nowMs - lastMs > settings.healthyMs) waitMs = settings.firstMs;
      const thisMs = Math.min(settings.lastMs, waitMs * (1 + random()));
      waitMs = Math.min(settings.lastMs, waitMs * 2);
      lastMs = nowMs + thisMs;
      return thisMs;
    },
  };
}

const RESTART = { firstMs: 800, lastMs: 30_000, healthyMs: 120_000 };
