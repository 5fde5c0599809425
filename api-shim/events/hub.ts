// One watch over all tasks, told on to whoever follows one of them. Knows no HTTP. A follower is told the newest state only:
// a task is a level, not a list of edges, so nothing is queued for anybody.
import type { Reflector } from "../../operator/runtime/reflector.ts";
import type { CachedView, TaskView } from "../tasks/view.ts";

/** Undefined: the task is gone. */
export type Listener = (view: TaskView | undefined) => void;

export interface Hub {
  /** As the watch has it; it may be a moment behind the API server. */
  seen(key: string): TaskView | undefined;
  /** Returns how to stop. */
  follow(key: string, listener: Listener): () => void;
}

export function makeHub(cache: Pick<Reflector<CachedView>, "get" | "onChange">): Hub {
  const followers = new Map<string, Set<Listener>>();
  cache.onChange((key, next) => {
    for (const listener of followers.get(key) ?? []) listener(next?.view);
  });
  return {
    seen: (key) => cache.get(key)?.view,
    follow: (key, listener) => {
      const listeners = followers.get(key) ?? new Set();
      followers.set(key, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && followers.get(key) === listeners) followers.delete(key);
      };
    },
  };
}
