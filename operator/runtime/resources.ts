// One collection of the API as typed calls. Adds no cache, no retry and no opinion; see `reflector.ts` for a cache.
import { isNotFound } from "./errors.ts";
import { keyOf, pathOf, splitKey, type KubeObject, type Place, type ResourceKind } from "./objects.ts";
import type { KubeRequest } from "./sender.ts";
import type { CallOptions, Transport } from "./transport.ts";

export interface Scope {
  /** Everywhere when absent. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects per page. Default 500. */
  readonly pageSize?: number;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take fields over from other managers. */
  readonly force?: boolean;
}

export interface RemoveOptions extends CallOptions {
  /** Preconditions: the call answers Conflict when the object is another one by now. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  readonly graceSeconds?: number;
}

export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** Keys are "namespace/name", or "name". Every call throws what `request` of Transport does. What the server answers is trusted to be a T. */
export interface Resource<T extends KubeObject> {
  readonly kind: ResourceKind;
  /** The live object, undefined when there is none. */
  get(key: string, options: CallOptions): Promise<T | undefined>;
  /** Page by page, never whole in memory. A list too slow for its pages throws an error that isExpired recognises. */
  list(scope: Scope, options: CallOptions): AsyncIterable<T>;
  create(object: T, options: WriteOptions): Promise<T>;
  /** Fails with Conflict when `metadata.resourceVersion` is set and no longer current. */
  replace(object: T, options: WriteOptions): Promise<T>;
  replaceStatus(object: T, options: WriteOptions): Promise<T>;
  /** JSON merge patch. With `metadata.resourceVersion` inside, it fails with Conflict when that is no longer current. */
  patch(key: string, mergePatch: object, options: WriteOptions): Promise<T>;
  patchStatus(key: string, mergePatch: object, options: WriteOptions): Promise<T>;
  /** Fails with Invalid (see isInvalid) when a `test` does not hold. */
  jsonPatch(key: string, operations: readonly JsonPatchOperation[], options: WriteOptions): Promise<T>;
  /** Server-side apply; needs apiVersion and kind. An owned field that is left out is removed, finalizers too. */
  apply(object: T, options: ApplyOptions): Promise<T>;
  applyStatus(object: T, options: ApplyOptions): Promise<T>;
  remove(key: string, options: RemoveOptions): Promise<"removed" | "absent">;
}

/** `mayWrite` is asked before each try of each write, of whose key; false: the write throws TermOver. */
export function makeResource<T extends KubeObject>(
  transport: Transport,
  kind: ResourceKind,
  mayWrite: (key: string) => boolean = () => true,
): Resource<T> {
  const send = async (request: KubeRequest, options: CallOptions): Promise<T> =>
    (await transport.request(request, options)) as T;
  const inTerm = (key: string, options: CallOptions): CallOptions => ({
    ...options,
    mayWrite: () => mayWrite(key) && options.mayWrite?.() !== false,
  });

  const write = (method: "PUT" | "PATCH", contentType: string, subresource?: string) => {
    return (key: string, body: unknown, options: WriteOptions & { readonly force?: boolean }): Promise<T> => {
      const path = pathOf(kind, placeOf(key, subresource));
      return send({ method, path, body, contentType, query: writeQuery(options) }, inTerm(key, options));
    };
  };
  const replace = write("PUT", JSON_TYPE);
  const replaceStatus = write("PUT", JSON_TYPE, "status");
  const apply = write("PATCH", APPLY_TYPE);
  const applyStatus = write("PATCH", APPLY_TYPE, "status");

  return {
    kind,
    get: (key, options) => send({ method: "GET", path: pathOf(kind, placeOf(key)) }, options).catch(undefinedIfAbsent),
    list: (scope, options) => listed<T>(transport, kind, scope, options),
    create: (object, options) => {
      const path = pathOf(kind, { namespace: object.metadata.namespace });
      return send({ method: "POST", path, body: object, query: writeQuery(options) }, inTerm(keyOf(object), options));
    },
    replace: (object, options) => replace(keyOf(object), object, options),
    replaceStatus: (object, options) => replaceStatus(keyOf(object), object, options),
    patch: write("PATCH", MERGE_TYPE),
    patchStatus: write("PATCH", MERGE_TYPE, "status"),
    jsonPatch: write("PATCH", JSON_PATCH_TYPE),
    apply: (object, options) => apply(keyOf(object), object, options),
    applyStatus: (object, options) => applyStatus(keyOf(object), object, options),
    remove: async (key, options) => {
      const request = { method: "DELETE", path: pathOf(kind, placeOf(key)), body: removalOf(options) } as const;
      const found = await transport.request(request, inTerm(key, options)).then(() => true, undefinedIfAbsent);
      return found ? "removed" : "absent";
    },
  };
}

const JSON_TYPE = "application/json";
const MERGE_TYPE = "application/merge-patch+json";
const JSON_PATCH_TYPE = "application/json-patch+json";
const APPLY_TYPE = "application/apply-patch+yaml"; // JSON is YAML

const PAGE_SIZE = 500;

export interface ListPage<T> {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: readonly T[] | null;
}

/** The pages of a list; the last one has no `continue`. */
export async function* pagesOf<T>(
  transport: Transport,
  kind: ResourceKind,
  scope: Scope,
  options: CallOptions,
): AsyncGenerator<ListPage<T>, void, undefined> {
  const path = pathOf(kind, { namespace: scope.namespace });
  const { labelSelector, fieldSelector } = scope;
  let next: string | undefined;
  do {
    const query = { labelSelector, fieldSelector, limit: scope.pageSize ?? PAGE_SIZE, continue: next };
    const page = (await transport.request({ method: "GET", path, query }, options)) as ListPage<T>;
    yield page;
    next = page.metadata.continue;
  } while (next);
}

async function* listed<T extends KubeObject>(
  transport: Transport,
  kind: ResourceKind,
  scope: Scope,
  options: CallOptions,
): AsyncGenerator<T, void, undefined> {
  for await (const page of pagesOf<T>(transport, kind, scope, options)) yield* page.items ?? [];
}

function placeOf(key: string, subresource?: string): Place {
  return { ...splitKey(key), subresource };
}

function writeQuery(options: WriteOptions & { readonly force?: boolean }): KubeRequest["query"] & object {
  return { fieldManager: options.fieldManager, dryRun: options.dryRun ? "All" : undefined, force: options.force };
}

function removalOf({ uid, resourceVersion, propagation, graceSeconds }: RemoveOptions): object {
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    preconditions: { uid, resourceVersion },
    propagationPolicy: propagation,
    gracePeriodSeconds: graceSeconds,
  };
}

function undefinedIfAbsent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
