// The tasks of one namespace at the API server: read, list, change, delete. Reads are live, so that whoever wrote reads
// what he wrote, from any replica.
import { KubeError, isConflict, isExpired, isInvalid, isNotFound } from "../../operator/runtime/errors.ts";
import { TASKS } from "../../operator/kube/kinds.ts";
import type { WireTask } from "../../operator/kube/task-object.ts";
import { pathOf } from "../../operator/runtime/objects.ts";
import { makeResource, type ListPage, type Resource } from "../../operator/runtime/resources.ts";
import type { Transport } from "../../operator/runtime/transport.ts";
import { clusterUnavailable } from "../access/door.ts";
import { Problem } from "../problems.ts";

export interface ListWish {
  readonly namespace: string;
  readonly limit: number;
  readonly pageToken: string | undefined;
  readonly phase: string | undefined;
  readonly provider: string | undefined;
}

export interface TaskPage {
  readonly items: readonly WireTask[];
  readonly nextPageToken: string | undefined;
}

/** Everything throws Problem. */
export interface Tasks {
  get(namespace: string, id: string, signal: AbortSignal): Promise<WireTask>;
  list(wish: ListWish, signal: AbortSignal): Promise<TaskPage>;
  /** Merges these fields into the spec. */
  change(namespace: string, id: string, spec: object, signal: AbortSignal): Promise<WireTask>;
  remove(namespace: string, id: string, signal: AbortSignal): Promise<void>;
  readonly resource: Resource<WireTask>;
}

const CALL_MS = 8_000;
const FIELD_MANAGER = "genop-rest";

export function makeTasks(transport: Transport): Tasks {
  const resource = makeResource<WireTask>(transport, TASKS);
  const options = (signal: AbortSignal) => ({ signal, timeoutMs: CALL_MS, fieldManager: FIELD_MANAGER });

  return {
    resource,
    get: async (namespace, id, signal) => {
      const task = await resource.get(`${namespace}/${id}`, options(signal)).catch(asProblem);
      if (task === undefined) throw notFound();
      return task;
    },
    list: async ({ limit, namespace, pageToken, phase, provider }, signal) => {
      const fields = [phase && `status.phase=${phase}`, provider && `spec.providerRef.name=${provider}`];
      const fieldSelector = fields.filter(Boolean).join(",") || undefined;
      const query = { limit, continue: pageToken, fieldSelector };
      const request = { method: "GET", path: pathOf(TASKS, { namespace }), query } as const;
      const page = (await transport.request(request, options(signal)).catch(listRefused)) as ListPage<WireTask>;
      return {
        items: page.items ?? [],
        nextPageToken: page.metadata.continue === "" ? undefined : page.metadata.continue,
      };
    },
    change: (namespace, id, spec, signal) =>
      resource.patch(`${namespace}/${id}`, { spec }, options(signal)).catch(changeRefused),
    remove: async (namespace, id, signal) => {
      const removed = await resource.remove(`${namespace}/${id}`, options(signal)).catch(changeRefused);
      if (removed === "absent") throw notFound();
    },
  };
}

function notFound(): Problem {
  return new Problem("not-found", { detail: "cannot find the task: this namespace has none with this id" });
}

function changeRefused(error: unknown): never {
  if (isNotFound(error)) throw notFound();
  if (isConflict(error)) {
    throw new Problem("conflict", { detail: "cannot change the task: it changed meanwhile; try again" }, error);
  }
  if (isInvalid(error) || hasStatus(error, 400)) {
    const detail = "cannot change the task: the API server does not allow this change";
    throw new Problem("invalid-body", { detail }, error);
  }
  if (hasStatus(error, 403)) {
    const detail = "cannot change the task: the cluster refused it (an admission policy, or a namespace that is going)";
    throw new Problem("refused-by-cluster", { detail }, error);
  }
  return asProblem(error);
}

function listRefused(error: unknown): never {
  if (isExpired(error) || hasStatus(error, 400)) {
    const detail = "cannot go on with this list: pageToken is expired or damaged; begin anew";
    throw new Problem("invalid-request", { detail });
  }
  return asProblem(error);
}

function hasStatus(error: unknown, status: number): boolean {
  return error instanceof KubeError && error.status === status;
}

/** What the API server's failure means to the caller, whatever was asked of it. */
export function asProblem(error: unknown): never {
  if (error instanceof KubeError || error instanceof DOMException) throw clusterUnavailable(error);
  throw error;
}
