// The watch protocol: one request to a sequence of typed events. Keeps nothing, repeats nothing.
import { errorOfStatus } from "./answers.ts";
import { KubeError } from "./errors.ts";
import { pathOf, type KubeObject, type ResourceKind } from "./objects.ts";
import type { Scope } from "./resources.ts";
import type { Transport } from "./transport.ts";

export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string; readonly endsInitial: boolean };

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** Continue after this version; or begin with every object there is, ended by a bookmark (`endsInitial`). */
  readonly from: { readonly resourceVersion: string } | "everything";
  /** The server ends the watch after this time. */
  readonly lifetimeMs: number;
  /** The longest silence, bookmarks included. */
  readonly idleMs: number;
}

/** Ends when the server ends it. Throws KubeError, also for an ERROR event inside the stream. */
export async function* watchEvents<T extends KubeObject>(
  transport: Transport,
  kind: ResourceKind,
  scope: Scope,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const path = pathOf(kind, { namespace: scope.namespace });
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    labelSelector: scope.labelSelector,
    fieldSelector: scope.fieldSelector,
    timeoutSeconds: Math.ceil(options.lifetimeMs / 1000),
    ...(options.from === "everything"
      ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }
      : { resourceVersion: options.from.resourceVersion }),
  };
  const lines = transport.stream({ method: "GET", path, query }, { signal: options.signal, idleMs: options.idleMs });
  for await (const line of lines) yield eventOf<T>(line, path);
}

const INITIAL_END = "k8s.io/initial-events-end";

function eventOf<T extends KubeObject>(line: unknown, path: string): WatchEvent<T> {
  const { type, object } = (line ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: object as T };
    case "BOOKMARK": {
      const { resourceVersion = "", annotations = {} } = (object as KubeObject).metadata;
      return { type, resourceVersion, endsInitial: annotations[INITIAL_END] === "true" };
    }
    case "ERROR":
      throw errorOfStatus(object, { method: "GET", path });
    default:
      throw new KubeError({ method: "GET", path, status: 0, reason: "BadAnswer" });
  }
}
