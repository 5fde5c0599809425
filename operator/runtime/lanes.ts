// The keys that wait: until their time, then in line by priority. One entry per key. No work, no timers.
import { makeHeap } from "./heap.ts";

/** "live": somebody just changed something. "background": resync, poll, retry. */
export type Priority = "live" | "background";

export interface Waiting {
  readonly key: string;
  readonly dueMs: number;
  readonly priority: Priority;
}

export interface Lanes {
  /** Adds a wish, merged with the one that waits already: the earlier time, the higher priority. */
  put(wish: Waiting): void;
  /** Brings what is due in line. */
  advance(nowMs: number): void;
  /** The next ready key. */
  next(): Waiting | undefined;
  /** When the next key falls due that is not in line yet. */
  nextDueMs(): number | undefined;
  has(key: string): boolean;
  ready(priority: Priority): number;
  size(): number;
}

interface Ticket extends Waiting {
  /** First come, first served. */
  readonly number: number;
}

/** The stricter of two wishes for the same key. */
export function mergeWishes(a: Waiting, b: Waiting): Waiting {
  return {
    key: a.key,
    dueMs: Math.min(a.dueMs, b.dueMs),
    priority: a.priority === "live" || b.priority === "live" ? "live" : "background",
  };
}

/** One of `backgroundEvery` turns goes to the background even while live work waits: slower, never starved. */
export function makeLanes(backgroundEvery: number): Lanes {
  const later = makeHeap<Ticket>((a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.number < b.number));
  const inLine = (): ReturnType<typeof makeHeap<Ticket>> => makeHeap<Ticket>((a, b) => a.number < b.number);
  const lines = { live: inLine(), background: inLine() };
  let numbers = 0;
  let turns = 0;

  function enter(wish: Waiting): void {
    lines[wish.priority].put({ ...wish, number: numbers++ });
  }

  function nextLine(): Priority {
    if (lines.live.size() === 0) return "background";
    if (lines.background.size() === 0) return "live";
    turns = (turns + 1) % backgroundEvery;
    return turns === 0 ? "background" : "live";
  }

  return {
    put: (wish) => {
      if (lines.live.get(wish.key)) return; // nothing is earlier or higher
      const ready = lines.background.get(wish.key);
      if (ready) {
        if (wish.priority === "background") return;
        lines.background.remove(wish.key);
        enter(mergeWishes(ready, wish));
        return;
      }
      const waiting = later.get(wish.key);
      const merged = waiting ? mergeWishes(waiting, wish) : wish;
      later.put({ ...merged, number: waiting?.number ?? numbers++ });
    },
    advance: (nowMs) => {
      for (let first = later.first(); first && first.dueMs <= nowMs; first = later.first()) {
        later.remove(first.key);
        enter(first);
      }
    },
    next: () => {
      const line = lines[nextLine()];
      const first = line.first();
      return first && line.remove(first.key);
    },
    nextDueMs: () => later.first()?.dueMs,
    has: (key) => Boolean(later.get(key) ?? lines.live.get(key) ?? lines.background.get(key)),
    ready: (priority) => lines[priority].size(),
    size: () => later.size() + lines.live.size() + lines.background.size(),
  };
}
