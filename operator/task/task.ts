// The wish as the operator sees it: the object, parsed once at the edge, with the identity of the wish.
import type { TaskKey } from "./brand.ts";
import type { TaskSpec, TaskStatus } from "./resource.ts";

export interface Task {
  /** `namespace/name` of the object. */
  readonly objectKey: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly createdAt: Date;
  readonly spec: TaskSpec;
  /** SHA-256 (hex) of the parts of spec that make the paid call: provider, model, input, inputFrom. */
  readonly specHash: string;
  /** The value of the task-key annotation; undefined until pinned. */
  readonly pinnedKey: string | undefined;
  readonly finalizer: boolean;
  readonly deletedAt: Date | undefined;
  readonly reported: TaskStatus;
}

/** An object that the schema let through, and that still cannot be read. Reported and left alone. */
export interface UnreadableTask {
  readonly objectKey: string;
  readonly message: string;
}

/** The key a task has by its own: its namespace, and the idempotency key or else the UID. */
export function taskKeyOf(task: Task): TaskKey {
  return `${task.namespace}/${task.spec.idempotencyKey ?? task.uid}` as TaskKey;
}

/**
 * The key that counts: the pinned one if there is one (an object restored from a backup has a new UID and is still
 * the same wish). Undefined when the pinned key can't be this object's own: a copy, which must never be submitted.
 */
export function effectiveKey(task: Task): TaskKey | undefined {
  if (task.pinnedKey === undefined) return taskKeyOf(task);
  if (!task.pinnedKey.startsWith(`${task.namespace}/`)) return undefined;
  if (task.spec.idempotencyKey !== undefined && task.pinnedKey !== taskKeyOf(task)) return undefined;
  return task.pinnedKey as TaskKey;
}
