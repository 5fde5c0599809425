// The keys of a provider's JWKS, as they were when last fetched. Who sends messages that nothing verifies can make us fetch them once a
// minute, and no more.

export interface KeySet {
  /** Undefined: they were never fetched, or too long ago. `now` is by the clock that tells when messages came. */
  current(now: Date): readonly string[] | undefined;
  /**
   * Whether they were fetched after a message of this moment had come, so that newer ones would not verify it either. If not, they are fetched, as
   * soon as that may be.
   */
  settles(receivedAt: Date, now: Date): boolean;
  /** Breaks off a fetch. */
  close(): void;
}

export interface KeySetDeps {
  /** Undefined: there is no answer, or it is no JWKS. Never rejects. */
  readonly fetch: (signal: AbortSignal) => Promise<readonly string[] | undefined>;
  readonly monotonicMs: () => number;
}

/** From one fetch to the next, whatever comes of it. */
const AGAIN_MS = 60_000;
/** Then a fetch is due, so that a key that was withdrawn is gone. */
const OLD_MS = 3_600_000;
const TOO_OLD_MS = 86_400_000;

interface Known {
  readonly keys: readonly string[];
  readonly fetchedMs: number;
  /** What came until then had come when they were asked for. */
  readonly asOf: Date;
}

/** Fetches nothing before a message needs it. */
export function makeKeySet({ fetch, monotonicMs }: KeySetDeps): KeySet {
  const closed = new AbortController();
  let known: Known | undefined;
  let askedMs = -Infinity;
  let isUnderWay = false;

  async function refresh(asOf: Date): Promise<void> {
    if (isUnderWay || monotonicMs() - askedMs < AGAIN_MS || closed.signal.aborted) return;
    isUnderWay = true;
    askedMs = monotonicMs();
    const keys = await fetch(closed.signal);
    isUnderWay = false;
    if (keys) known = { keys, fetchedMs: monotonicMs(), asOf };
  }

  const ageMs = (): number => (known ? monotonicMs() - known.fetchedMs : Infinity);
  return {
    current: (now) => {
      if (known && ageMs() > OLD_MS) void refresh(now);
      return ageMs() < TOO_OLD_MS ? known?.keys : undefined;
    },
    settles: (receivedAt, now) => {
      const isSettled = known !== undefined && receivedAt <= known.asOf;
      if (!isSettled) void refresh(now);
      return isSettled;
    },
    close: () => closed.abort(new Error("the provider is no longer in use")),
  };
}
