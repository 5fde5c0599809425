// The writes to a GenerationTask as data: what is sent, given what the object is. No calls.
import { addFinalizerPatch } from "../runtime/finalizers.ts";
import type { JsonPatchOperation } from "../runtime/resources.ts";
import { statusPatch } from "../runtime/status.ts";
import type { TaskKey } from "../task/brand.ts";
import { FINALIZER, TASK_KEY_ANNOTATION, type Condition, type TaskStatus } from "../task/resource.ts";
import type { Task } from "../task/task.ts";
import { annotationPatch } from "./annotation-patch.ts";
import { readStatus, type CachedTask } from "./kept-task.ts";

/**
 * Key and finalizer in one write, which fails when the object is no longer the version that was looked at: nothing may
 * be submitted for a task that somebody suspended, changed or deleted in the meantime.
 */
export function pinPatch(object: CachedTask, key: TaskKey): readonly JsonPatchOperation[] {
  return [
    ...annotationPatch(object.metadata, TASK_KEY_ANNOTATION, key),
    ...(addFinalizerPatch(object, FINALIZER) ?? []),
  ];
}

/** Whether what a decision was based on still is so. Status may differ: nothing is decided upon it. */
export function isAsSeen(now: CachedTask["read"], seen: Task): now is Task {
  return (
    "spec" in now &&
    now.uid === seen.uid &&
    now.generation === seen.generation &&
    now.pinnedKey === seen.pinnedKey &&
    now.finalizer === seen.finalizer &&
    now.deletedAt?.getTime() === seen.deletedAt?.getTime()
  );
}

export interface StatusWrite {
  readonly previous: TaskStatus;
  readonly next: TaskStatus;
  readonly patch: object;
}

/** The merge patch that makes the status so; undefined when it is so already. Locked to the version it was made for. */
export function statusWrite(object: CachedTask, wanted: TaskStatus): StatusWrite | undefined {
  const { status: before = {} } = object;
  const previous = readStatus(before);
  const next = wanted.conditions
    ? { ...wanted, conditions: keepTransitions(previous.conditions ?? [], wanted.conditions) }
    : wanted;
  const status = statusPatch(before ?? {}, next);
  if (status === undefined) return undefined;
  const { resourceVersion } = object.metadata;
  return { previous, next, patch: { metadata: { resourceVersion }, status } };
}

/** A condition that did not flip keeps its time, so that telling the same again is no change. */
function keepTransitions(previous: readonly Condition[], next: readonly Condition[]): Condition[] {
  return next.map((condition) => {
    const before = previous.find(({ type }) => type === condition.type);
    return before?.status === condition.status
      ? { ...condition, lastTransitionTime: before.lastTransitionTime }
      : condition;
  });
}
