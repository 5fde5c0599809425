// Answers that are used again for some seconds: bounded in number, asked for once however many want them at the same time.
// A failure is never remembered.
import type { Clock } from "../runtime/clock.ts";

export interface ShortMemory<Value> {
  /** What is remembered of the key, or what `ask` says, which is then kept as long as `keepMs` says of it. */
  get(key: string, ask: () => Promise<Value>): Promise<Value>;
  size(): number;
}

export interface ShortMemoryDeps<Value> {
  readonly clock: Clock;
  readonly keepMs: (value: Value) => number;
  /** The one that was asked for first goes when there are more. */
  readonly maxKept: number;
}

interface Kept<Value> {
  readonly value: Promise<Value>;
  untilMs: number;
}

export function makeShortMemory<Value>({ clock, keepMs, maxKept }: ShortMemoryDeps<Value>): ShortMemory<Value> {
  const kept = new Map<string, Kept<Value>>();

  function forget(key: string, entry: Kept<Value>): void {
    if (kept.get(key) === entry) kept.delete(key);
  }

  async function asked(key: string, ask: () => Promise<Value>): Promise<Value> {
    const entry: Kept<Value> = { value: ask(), untilMs: Infinity };
    kept.set(key, entry);
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
    try {
      const value = await entry.value;
      entry.untilMs = clock.monotonicMs() + keepMs(value);
      return value;
    } catch (error) {
      forget(key, entry);
      throw error;
    }
  }

  return {
    get: (key, ask) => {
      const entry = kept.get(key);
      if (entry && entry.untilMs > clock.monotonicMs()) return entry.value;
      kept.delete(key);
      return asked(key, ask);
    },
    size: () => kept.size,
  };
}
