// Objects and tables of one collection, read, watched, made and changed by its user's own rights.
import { pathOf, type ResourceKind } from "../../operator/runtime/objects.ts";
import { z } from "zod";
import type { Cluster } from "./client.ts";

export interface Selection {
  readonly namespace: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export const FIELD_MANAGER = "kubectl-genop";
const MERGE = "application/merge-patch+json";
const PAGE = 500;
/** The API server prints tables itself, with the columns of the resource: the same as kubectl shows. */
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

const List = z.looseObject({
  metadata: z
    .looseObject({ resourceVersion: z.string().default(""), continue: z.string().optional() })
    .default({ resourceVersion: "" }),
  items: z.array(z.unknown()).nullish(),
});

export function getObject(
  cluster: Cluster,
  kind: ResourceKind,
  at: { readonly namespace?: string; readonly name: string },
  signal: AbortSignal,
): Promise<unknown> {
  return cluster.call({ path: pathOf(kind, at) }, signal);
}

export interface Listed {
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
}

/** Page by page, all of it. */
export async function listObjects(
  cluster: Cluster,
  kind: ResourceKind,
  selection: Selection,
  signal: AbortSignal,
): Promise<Listed> {
  const { namespace, ...selectors } = selection;
  const items: unknown[] = [];
  let resourceVersion: string;
  let next: string | undefined;
  do {
    const query = { ...selectors, limit: PAGE, continue: next };
    const page = List.parse(await cluster.call({ path: pathOf(kind, { namespace }), query }, signal));
    items.push(...(page.items ?? []));
    ({ resourceVersion } = page.metadata);
    next = page.metadata.continue;
  } while (next !== undefined && next !== "");
  return { items, resourceVersion };
}

const Cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const Table = z.looseObject({
  metadata: z
    .looseObject({ resourceVersion: z.string().default(""), continue: z.string().optional() })
    .default({ resourceVersion: "" }),
  columnDefinitions: z.array(z.looseObject({ name: z.string(), priority: z.number().default(0) })).nullish(),
  rows: z
    .array(
      z.looseObject({
        cells: z.array(Cell.catch(null)),
        object: z.looseObject({ metadata: z.looseObject({ name: z.string(), namespace: z.string().default("") }) }),
      }),
    )
    .nullish(),
});
export type Table = z.infer<typeof Table>;

export async function* listTables(
  cluster: Cluster,
  kind: ResourceKind,
  selection: Selection,
  signal: AbortSignal,
): AsyncGenerator<Table, void, undefined> {
  const { namespace, ...selectors } = selection;
  let next: string | undefined;
  do {
    const query = { ...selectors, limit: PAGE, continue: next };
    const request = { path: pathOf(kind, { namespace }), query, headers: { accept: TABLE } };
    const table = Table.parse(await cluster.call(request, signal));
    yield table;
    next = table.metadata.continue;
  } while (next !== undefined && next !== "");
}

const WatchLine = z.looseObject({ type: z.string(), object: z.unknown() });

export interface Change {
  readonly type: string;
  readonly object: unknown;
}

export interface Watched extends Selection {
  readonly resourceVersion: string;
  readonly asTable?: boolean;
}

/** What changes after a version, until the server ends it. A change of type ERROR means: list again. */
export async function* watchObjects(
  cluster: Cluster,
  kind: ResourceKind,
  watched: Watched,
  signal: AbortSignal,
): AsyncGenerator<Change, void, undefined> {
  const { asTable = false, namespace, ...rest } = watched;
  const request = {
    path: pathOf(kind, { namespace }),
    query: { ...rest, watch: "true", allowWatchBookmarks: "true" },
    ...(asTable && { headers: { accept: TABLE } }),
  };
  for await (const line of cluster.watch(request, signal)) {
    const { object, type } = WatchLine.parse(line);
    if (type !== "BOOKMARK") yield { type, object };
  }
}

export function readTable(value: unknown): Table {
  return Table.parse(value);
}

/** Merges the patch; with `metadata.resourceVersion` inside, only into that version. */
export function patchObject(
  cluster: Cluster,
  kind: ResourceKind,
  { patch, ...at }: { readonly namespace?: string; readonly name: string; readonly patch: object },
  signal: AbortSignal,
): Promise<unknown> {
  const query = { fieldManager: FIELD_MANAGER };
  return cluster.call({ method: "PATCH", path: pathOf(kind, at), query, body: patch, contentType: MERGE }, signal);
}

export function createObject(
  cluster: Cluster,
  kind: ResourceKind,
  { body, dryRun, namespace }: { readonly namespace: string; readonly body: object; readonly dryRun: boolean },
  signal: AbortSignal,
): Promise<unknown> {
  const query = { fieldManager: FIELD_MANAGER, dryRun: dryRun ? "All" : undefined, fieldValidation: "Strict" };
  return cluster.call({ method: "POST", path: pathOf(kind, { namespace }), query, body }, signal);
}
