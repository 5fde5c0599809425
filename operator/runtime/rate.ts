// How often something may happen, by name: a bucket of tokens each, bounded in number. For one replica; what must be exact
// over all of them is the operator's business.
import type { Clock } from "./clock.ts";

export interface Rate {
  /** 0 when it may happen now, which is then counted; else the whole seconds until it may. */
  take(name: string): number;
}

export interface RateSettings {
  readonly perSecond: number;
  readonly burst: number;
  /** Names kept in mind. One that is forgotten begins with a full bucket. */
  readonly maxNames: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

export function makeRate(clock: Pick<Clock, "monotonicMs">, { burst, maxNames, perSecond }: RateSettings): Rate {
  const buckets = new Map<string, Bucket>();

  function bucketOf(name: string): Bucket {
    const nowMs = clock.monotonicMs();
    const { atMs, tokens } = buckets.get(name) ?? { atMs: nowMs, tokens: burst };
    const filled = { tokens: Math.min(burst, tokens + ((nowMs - atMs) / 1000) * perSecond), atMs: nowMs };
    buckets.delete(name); // the one that is used goes to the end
    buckets.set(name, filled);
    const [oldest] = buckets.keys();
    if (buckets.size > maxNames && oldest !== undefined) buckets.delete(oldest);
    return filled;
  }

  return {
    take: (name) => {
      const bucket = bucketOf(name);
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      bucket.tokens -= 1;
      return 0;
    },
  };
}
