// A bounded number of places, given to the most urgent who waits. A place is held by whoever took it until released.

export interface Slot {
  /** More than once does nothing. */
  release(): void;
}

export interface Slots {
  /** The lowest `urgency` comes first, then the longest wait. Rejects with the signal's reason when aborted while waiting. */
  take(urgency: number, signal: AbortSignal): Promise<Slot>;
  /** How many wait. */
  waiting(): number;
}

interface Waiter {
  readonly urgency: number;
  readonly serve: () => void;
}

export function makeSlots(count: number): Slots {
  let free = count;
  const line: Waiter[] = [];

  const slot = (): Slot => {
    let isHeld = true;
    return {
      release() {
        if (!isHeld) return;
        isHeld = false;
        const next = line.shift();
        if (next) next.serve();
        else free += 1;
      },
    };
  };

  const wait = (urgency: number, signal: AbortSignal): Promise<Slot> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        line.splice(line.indexOf(waiter), 1);
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        urgency,
        serve() {
          signal.removeEventListener("abort", leave);
          resolve(slot());
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      const behind = line.findIndex((other) => other.urgency > urgency);
      line.splice(behind === -1 ? line.length : behind, 0, waiter);
    });

  return {
    async take(urgency, signal) {
      signal.throwIfAborted();
      if (free === 0) return wait(urgency, signal);
      free -= 1;
      return slot();
    },
    waiting: () => line.length,
  };
}
