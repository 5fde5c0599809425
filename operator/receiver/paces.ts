// How often one attempt's address may be called: a provider sends a handful of messages, a flood is somebody else. Memory of one
// process, bounded; the oldest are forgotten first.

const BURST = 20;
const PER_SECOND = 2;
const MAX_KNOWN = 10_000;

export interface Paces {
  /** Whether this one may pass now. */
  take(attemptId: string): boolean;
}

export function makePaces(nowMs: () => number): Paces {
  const known = new Map<string, { left: number; atMs: number }>();
  return {
    take: (attemptId) => {
      const now = nowMs();
      const before = known.get(attemptId) ?? { left: BURST, atMs: now };
      const left = Math.min(BURST, before.left + ((now - before.atMs) / 1000) * PER_SECOND);
      const isFree = left >= 1;
      known.delete(attemptId);
      known.set(attemptId, { left: isFree ? left - 1 : left, atMs: now });
      const [oldest] = known.keys();
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
      return isFree;
    },
  };
}
