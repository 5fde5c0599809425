// A task as the shim's callers see it: what they need to follow it, and nothing of what is generated. The input is not in it,
// so that no prompt is kept in the shim's memory or told to somebody who may only read.
import { z } from "zod";
import type { WireTask } from "../../operator/kube/task-object.ts";
import { PHASES, TaskSpec, TaskStatus } from "../../operator/task/resource.ts";
import { apiVersionOf, type KubeObject } from "../../operator/runtime/objects.ts";
import { TASKS } from "../../operator/kube/kinds.ts";

/** Of the status, what is shown: no conditions, for they say the same again for other tools. */
const Shown = TaskStatus.omit({ observedGeneration: true, conditions: true, taskKey: true, phase: true });

const View = {
  id: z.string().describe("The name of the GenerationTask; unique in its namespace."),
  namespace: z.string().describe("Where the task lives."),
  version: z.string().describe("Changes whenever the task does; also the id of its events."),
  idempotencyKey: TaskSpec.shape.idempotencyKey,
  provider: z.string().optional().describe("The name of the GenerationProvider."),
  model: z.string().optional().describe("The provider's own name for the model."),
  suspend: z.boolean().describe("Nothing new is started while true."),
  cancelRequested: z.boolean().describe("Cancelling was asked for."),
  deleting: z.boolean().describe("The task goes as soon as its money is settled."),
  createdAt: z.iso.datetime().optional().describe("When the task was accepted by the API server."),
  phase: z.enum(PHASES).describe("Where the task stands. Succeeded, Failed, Cancelled and Rejected are final."),
} as const;

export const TaskView = z.strictObject({ ...View, ...Shown.shape });
export type TaskView = z.infer<typeof TaskView>;

/** Of the spec, what the view shows; an object that was written before a field existed is no fault. */
const SeenSpec = z.looseObject({
  idempotencyKey: z.string().optional().catch(undefined),
  providerRef: z.looseObject({ name: z.string() }).optional().catch(undefined),
  model: z.string().optional().catch(undefined),
  suspend: z.boolean().catch(false),
  cancelRequested: z.boolean().catch(false),
});

const SeenStatus = z.object({ phase: z.enum(PHASES).optional(), ...Shown.shape }).catch({});

/** Total: whatever the API server has is shown as far as it can be read. */
export function viewOf({ metadata, spec, status }: WireTask): TaskView {
  const seen = SeenSpec.catch({ suspend: false, cancelRequested: false }).parse(spec);
  const told = SeenStatus.parse(status ?? {});
  return {
    id: metadata.name,
    namespace: metadata.namespace ?? "",
    version: metadata.resourceVersion ?? "",
    idempotencyKey: seen.idempotencyKey,
    provider: seen.providerRef?.name,
    model: seen.model,
    suspend: seen.suspend,
    cancelRequested: seen.cancelRequested,
    deleting: metadata.deletionTimestamp !== undefined,
    createdAt: metadata.creationTimestamp,
    ...told,
    phase: told.phase ?? "Pending",
  };
}

/** What the shim's cache keeps of a task. */
export interface CachedView extends KubeObject {
  readonly view: TaskView;
  /** False until the operator has said anything about it. */
  readonly isTaken: boolean;
}

export function cachedView(object: WireTask): CachedView {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const view = viewOf(object);
  const isTaken = SeenStatus.parse(object.status ?? {}).phase !== undefined;
  return {
    apiVersion: apiVersionOf(TASKS),
    kind: "GenerationTask",
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    view,
    isTaken,
  };
}
