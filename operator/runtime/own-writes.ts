// Read your own writes: until the cache has seen what this process wrote, the answer to the write is the object.
import { compareVersions, keyOf, type KubeObject } from "./objects.ts";
import type { Store } from "./store.ts";

export interface OwnWrites<T> {
  /** The cached object, or the answer of our last write of it while the cache is older. */
  get(key: string): T | undefined;
  /** Call with what the server answered to a create, replace or patch. */
  wrote(object: T): void;
}

interface Write<T> {
  readonly object: T;
  readonly history: number;
}

/**
 * A write is remembered until the store's version has reached it, or its history is another one (restored database).
 * The store must hold the same collection. At most `maxKeys` writes are kept; beyond, the oldest are forgotten.
 * An overlaid object carries its resourceVersion: a write based on it still fails with Conflict when it is outdated.
 */
export function makeOwnWrites<T extends KubeObject>(
  store: Pick<Store<T>, "get" | "seen">,
  maxKeys = 10_000,
): OwnWrites<T> {
  const writes = new Map<string, Write<T>>();

  function isSeen({ object, history }: Write<T>): boolean {
    const seen = store.seen();
    return seen.history !== history || compareVersions(seen.resourceVersion, versionOf(object)) >= 0;
  }

  return {
    get: (key) => {
      const write = writes.get(key);
      if (!write) return store.get(key);
      if (!isSeen(write)) return write.object;
      writes.delete(key);
      return store.get(key);
    },
    wrote: (object) => {
      const key = keyOf(object);
      const previous = writes.get(key);
      if (previous && compareVersions(versionOf(previous.object), versionOf(object)) > 0) return; // answers overtook each other
      writes.delete(key); // to the end of the order
      writes.set(key, { object, history: store.seen().history });
      if (writes.size > maxKeys) forgetOldest(writes);
    },
  };
}

function forgetOldest(writes: Map<string, unknown>): void {
  const [oldest] = writes.keys();
  if (oldest !== undefined) writes.delete(oldest);
}

function versionOf(object: KubeObject): string {
  return object.metadata.resourceVersion ?? "";
}
