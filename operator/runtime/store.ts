// The objects of one collection as last seen, and what changed with each step. No I/O.
import type { Log } from "./log.ts";
import { compareVersions, keyOf, type KubeObject } from "./objects.ts";

export interface Seen {
  /** The collection's version that the store reflects; "" before the first list. */
  readonly resourceVersion: string;
  /** Rises when the server's history went back (a database restored from backup): older versions mean nothing then. */
  readonly history: number;
}

/** Read-only. An object in it may be older than the server's; it never goes back by itself. */
export interface Store<T> {
  get(key: string): T | undefined;
  has(key: string): boolean;
  keys(): IterableIterator<string>;
  list(): readonly T[];
  size(): number;
  seen(): Seen;
}

/**
 * Called after the store holds the change. `next` undefined: gone; `previous` undefined: new. A replacement by an object
 * of the same name is told as a deletion and a creation. Must not block; what it throws is logged.
 */
export type ChangeHandler<T> = (
  key: string,
  next: T | undefined,
  previous: T | undefined,
  how: { readonly initial: boolean },
) => void;

export interface WritableStore<T> extends Store<T> {
  onChange(handler: ChangeHandler<T>): void;
  put(object: T): void;
  remove(object: T): void;
  advance(resourceVersion: string): void;
  /** Swaps everything at once, then tells the differences; `pause` is awaited between them. */
  replaceAll(objects: Map<string, T>, resourceVersion: string, pause: () => Promise<void> | undefined): Promise<void>;
}

interface State<T> {
  objects: Map<string, T>;
  seen: Seen;
  readonly handlers: ChangeHandler<T>[];
  readonly log: Log;
}

export function makeStore<T extends KubeObject>(log: Log): WritableStore<T> {
  const state: State<T> = { objects: new Map(), seen: { resourceVersion: "", history: 0 }, handlers: [], log };
  return {
    get: (key) => state.objects.get(key),
    has: (key) => state.objects.has(key),
    keys: () => state.objects.keys(),
    list: () => [...state.objects.values()],
    size: () => state.objects.size,
    seen: () => state.seen,
    onChange: (handler) => {
      state.handlers.push(handler);
      for (const [key, object] of state.objects)
        tellOne(state, handler, { key, next: object, previous: undefined, initial: true });
    },
    put: (object) => {
      const key = keyOf(object);
      const previous = state.objects.get(key);
      state.objects.set(key, object);
      tellChange(state, { key, next: object, previous, initial: false });
    },
    remove: (object) => {
      const key = keyOf(object);
      const previous = state.objects.get(key);
      if (!state.objects.delete(key)) return;
      tellChange(state, { key, next: undefined, previous: previous && object, initial: false });
    },
    advance: (resourceVersion) => {
      state.seen = { ...state.seen, resourceVersion };
    },
    replaceAll: (objects, resourceVersion, pause) => replaceAll(state, { objects, resourceVersion, pause }),
  };
}

interface Change<T> {
  readonly key: string;
  readonly next: T | undefined;
  readonly previous: T | undefined;
  readonly initial: boolean;
}

interface Replacement<T> {
  readonly objects: Map<string, T>;
  readonly resourceVersion: string;
  readonly pause: () => Promise<void> | undefined;
}

async function replaceAll<T extends KubeObject>(state: State<T>, replacement: Replacement<T>): Promise<void> {
  const { objects, resourceVersion, pause } = replacement;
  const old = state.objects;
  const wentBack = compareVersions(resourceVersion, state.seen.resourceVersion) < 0;
  const initial = state.seen.resourceVersion === "";
  state.objects = objects;
  state.seen = { resourceVersion, history: state.seen.history + (wentBack ? 1 : 0) };

  for (const [key, previous] of old) {
    if (!objects.has(key)) tellChange(state, { key, next: undefined, previous, initial });
    await pause();
  }
  for (const [key, next] of objects) {
    const previous = old.get(key);
    const isSame = previous && previous.metadata.resourceVersion === next.metadata.resourceVersion;
    if (!isSame || wentBack) tellChange(state, { key, next, previous, initial });
    await pause();
  }
}

function tellChange<T extends KubeObject>(state: State<T>, change: Change<T>): void {
  const { key, next, previous, initial } = change;
  const isAnother = next && previous && next.metadata.uid !== previous.metadata.uid;
  for (const handler of state.handlers) {
    if (isAnother) {
      tellOne(state, handler, { key, next: undefined, previous, initial });
      tellOne(state, handler, { key, next, previous: undefined, initial });
    } else {
      tellOne(state, handler, change);
    }
  }
}

function tellOne<T>(state: State<T>, handler: ChangeHandler<T>, change: Change<T>): void {
  try {
    handler(change.key, change.next, change.previous, { initial: change.initial });
  } catch (error) {
    state.log("error", "watch.handler-failed", { key: change.key, error });
  }
}
