// What the watch over all tasks says about the queue: how many wait, in all and by namespace, and whether the operator takes
// new ones up. Counted with each change, so that asking costs nothing.
import type { Clock } from "../../operator/runtime/clock.ts";
import type { ChangeHandler } from "../../operator/runtime/store.ts";
import type { CachedView } from "../tasks/view.ts";

export interface Backlog {
  readonly changed: ChangeHandler<CachedView>;
  /** Tasks that wait and are not suspended. */
  waiting(): number;
  waitingIn(namespace: string): number;
  /** How long the oldest of the tasks waits that came after the last one that was taken up; 0 when there is none. */
  untakenMs(): number;
}

export function makeBacklog(clock: Clock): Backlog {
  const byNamespace = new Map<string, number>();
  const untaken = new Map<string, number>(); // in the order in which they were seen
  let all = 0;

  function count(namespace: string, by: number): void {
    all += by;
    const now = (byNamespace.get(namespace) ?? 0) + by;
    if (now > 0) byNamespace.set(namespace, now);
    else byNamespace.delete(namespace);
  }

  // Who came before one that was taken up is late for a reason of its own, and says nothing of the intake.
  function taken(key: string): void {
    if (!untaken.has(key)) return;
    for (const other of untaken.keys()) {
      untaken.delete(other);
      if (other === key) return;
    }
  }

  return {
    changed: (key, next, previous) => {
      if (previous && isWaiting(previous)) count(previous.view.namespace, -1);
      if (next && isWaiting(next)) count(next.view.namespace, 1);
      if (next === undefined) untaken.delete(key);
      else if (next.isTaken) taken(key);
      else if (!untaken.has(key)) untaken.set(key, clock.monotonicMs());
    },
    waiting: () => all,
    waitingIn: (namespace) => byNamespace.get(namespace) ?? 0,
    untakenMs: () => {
      const [first] = untaken.values();
      return first === undefined ? 0 : clock.monotonicMs() - first;
    },
  };
}

function isWaiting({ view }: CachedView): boolean {
  return view.phase === "Pending" && !view.suspend && !view.deleting;
}
