// A bound on calls at once. Who waits, waits in order, with a signal; the line itself is bounded too.

export interface Slots {
  /** Resolves with the function that gives the slot back (once), or with undefined when the line is too long or the signal aborts. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

const MAX_WAITING = 10_000;

/** `limit` is read at each turn, so that a changed quota counts from the next call on. */
export function makeSlots(limit: () => number): Slots {
  const waiting = new Set<() => void>();
  let taken = 0;

  function release(): () => void {
    taken++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      taken--;
      admit();
    };
  }

  function admit(): void {
    for (const enter of waiting) {
      if (taken >= Math.max(1, limit())) return;
      waiting.delete(enter);
      enter();
    }
  }

  return {
    take: async (signal) => {
      if (signal.aborted) return undefined;
      if (waiting.size === 0 && taken < Math.max(1, limit())) return release();
      if (waiting.size >= MAX_WAITING) return undefined;
      return new Promise((resolve) => {
        const enter = (): void => {
          signal.removeEventListener("abort", leave);
          resolve(release());
        };
        const leave = (): void => {
          waiting.delete(enter);
          resolve(undefined);
        };
        waiting.add(enter);
        signal.addEventListener("abort", leave, { once: true });
      });
    },
  };
}
