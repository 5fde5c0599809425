// One watch over all tasks, told on to whoever follows one of them or those of a namespace. Knows no HTTP. A follower is told
// the newest state only: a task is a level, not a list of edges, so nothing is queued for anybody.
import { compareVersions, splitKey } from "../../operator/runtime/objects.ts";
import type { Reflector } from "../../operator/runtime/reflector.ts";
import type { CachedView, TaskView } from "../tasks/view.ts";

/** Undefined: the task is gone. */
export type Listener = (view: TaskView | undefined) => void;

/** `inOrder`: whatever is told later is newer. Not so while the watch has begun anew, and tells what it missed. */
export type NamespaceListener = (id: string, view: TaskView | undefined, how: { readonly inOrder: boolean }) => void;

export interface Hub {
  /** As the watch has it; it may be a moment behind the API server. */
  seen(key: string): TaskView | undefined;
  /** All of a namespace, the one that changed last at the end. */
  all(namespace: string): readonly TaskView[];
  /** Returns how to stop. */
  follow(key: string, listener: Listener): () => void;
  followAll(namespace: string, listener: NamespaceListener): () => void;
}

export function makeHub(cache: Pick<Reflector<CachedView>, "get" | "list" | "onChange" | "seen">): Hub {
  const followers = makeAudience<Listener>();
  const namespaces = makeAudience<NamespaceListener>();
  cache.onChange((key, next) => {
    const view = next?.view;
    for (const listener of followers.of(key)) listener(view);
    const { name, namespace = "" } = splitKey(key);
    // A watch notes its place after it told an object, a list before.
    const inOrder = view !== undefined && compareVersions(view.version, cache.seen().resourceVersion) > 0;
    for (const listener of namespaces.of(namespace)) listener(name, view, { inOrder });
  });
  return {
    seen: (key) => cache.get(key)?.view,
    all: (namespace) =>
      cache
        .list()
        .flatMap(({ view }) => (view.namespace === namespace ? [view] : []))
        .sort((one, other) => compareVersions(one.version, other.version)),
    follow: (key, listener) => followers.add(key, listener),
    followAll: (namespace, listener) => namespaces.add(namespace, listener),
  };
}

interface Audience<L> {
  of(name: string): Iterable<L>;
  /** Returns how to leave. */
  add(name: string, listener: L): () => void;
}

function makeAudience<L>(): Audience<L> {
  const byName = new Map<string, Set<L>>();
  return {
    of: (name) => byName.get(name) ?? [],
    add: (name, listener) => {
      const listeners = byName.get(name) ?? new Set();
      byName.set(name, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && byName.get(name) === listeners) byName.delete(name);
      };
    },
  };
}
