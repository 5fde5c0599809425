// A GenerationTask as the API server sends it, read once into a Task, and what is kept of it in memory.
// Status is a view: an unreadable one counts as empty, and none permits anything.
import { z } from "zod";
import { apiVersionOf, type KubeObject, type ObjectMeta } from "../runtime/objects.ts";
import { FINALIZER, TASK_KEY_ANNOTATION, TaskSpec, TaskStatus } from "../task/resource.ts";
import { numberOf } from "../task/provider.ts";
import { taskKeyOf } from "../task/task.ts";
import type { Task, UnreadableTask } from "../task/task.ts";
import { canonicalJson, sha256 } from "./canonical.ts";
import { TASKS } from "./kinds.ts";
import { sentenceOf } from "./problems.ts";

/** What the API server sends. Nothing of it is believed before `readTask`. */
export interface WireTask extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** What the cache holds of it: what identifies the object, its status as it stands, and the task that was read from it. */
export interface CachedTask extends KubeObject {
  readonly status?: unknown;
  readonly read: Task | UnreadableTask;
}

const Meta = z.looseObject({
  name: z.string(),
  namespace: z.string(),
  uid: z.string().min(1),
  generation: z.int().default(0),
  creationTimestamp: z.iso.datetime(),
  deletionTimestamp: z.iso.datetime().optional(),
  annotations: z.record(z.string(), z.string()).default({}),
  finalizers: z.array(z.string()).default([]),
});

/** Reads the object, or says in one sentence, which names the field, why it can't be read. */
export function readTask(object: WireTask): Task | UnreadableTask {
  const { namespace = "", name } = object.metadata;
  const objectKey = `${namespace}/${name}`;
  const refused = (error: z.ZodError, root: string): UnreadableTask => ({
    objectKey,
    message: sentenceOf(error, { what: "read the task", root }),
  });

  const meta = Meta.safeParse(object.metadata);
  if (!meta.success) return refused(meta.error, "metadata");

  const spec = TaskSpec.safeParse(object.spec);
  if (!spec.success) return refused(spec.error, "spec");

  const { uid, generation, creationTimestamp, deletionTimestamp, annotations, finalizers } = meta.data;
  return {
    objectKey,
    namespace,
    name,
    uid,
    generation,
    createdAt: new Date(creationTimestamp),
    spec: spec.data,
    specHash: specHashOf(spec.data),
    pinnedKey: Object.hasOwn(annotations, TASK_KEY_ANNOTATION) ? annotations[TASK_KEY_ANNOTATION] : undefined,
    finalizer: finalizers.includes(FINALIZER),
    deletedAt: deletionTimestamp === undefined ? undefined : new Date(deletionTimestamp),
    reported: readStatus(object.status),
  };
}

/** The status, or an empty one when it is none of ours: a wiped or foreign status is written anew. */
export function readStatus(status: unknown): TaskStatus {
  return TaskStatus.safeParse(status ?? {}).success ? (status ?? {}) : {};
}

/**
 * A change that took the phase away: somebody wiped the status of a task, which may be at rest and would stay unreported.
 * For the trigger of its controller, beside what people change.
 */
export function hasLostStatus(next: CachedTask | undefined, previous: CachedTask | undefined): boolean {
  if (!next || !previous) return false;
  return readStatus(previous.status).phase !== undefined && readStatus(next.status).phase === undefined;
}

/**
 * A change that only pinned the key which the task has anyway: what the pass that pins it goes on from, so that it calls for none.
 */
export function isPinOnly(next: CachedTask | undefined, previous: CachedTask | undefined): boolean {
  if (!next || !previous || !("spec" in next.read) || !("spec" in previous.read)) return false;
  const [now, before] = [next.read, previous.read];
  return (
    before.pinnedKey === undefined &&
    now.pinnedKey === taskKeyOf(now) &&
    now.finalizer &&
    now.uid === before.uid &&
    now.generation === before.generation &&
    now.deletedAt === undefined
  );
}

/** The identity of the paid call: two specs with the same hash ask the provider for the same thing. */
function specHashOf({ providerRef, model, input, inputFrom }: TaskSpec): string {
  return sha256(canonicalJson({ provider: providerRef.name, model, input, inputFrom }));
}

/**
 * The transform of the cache: reads the task once a change, and keeps of its input only what prices are computed from.
 * Whole inputs would fill the memory of an operator with many tasks; one is read live when it is about to be paid for.
 */
export function cachedTask(object: WireTask): CachedTask {
  const read = readTask(object);
  return {
    apiVersion: apiVersionOf(TASKS),
    kind: "GenerationTask",
    metadata: slimMeta(object.metadata),
    status: object.status,
    read: "spec" in read ? { ...read, spec: { ...read.spec, input: quantitiesOf(read.spec.input) } } : read,
  };
}

/** The names that a price may refer to (see Price in task/provider-resource.ts). */
const PRICE_FIELD = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Fields at the top as the numbers that prices read, NaN where one is none: every price comes out as of the whole input. */
function quantitiesOf(input: TaskSpec["input"]): TaskSpec["input"] {
  const fields = Object.entries(input).filter(([field, value]) => value !== null && PRICE_FIELD.test(field));
  return Object.fromEntries(fields.map(([field, value]) => [field, numberOf(value)]));
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Without managed fields and without kubectl's copy of the whole object. An annotations map stays a map, if empty. */
export function slimMeta(metadata: ObjectMeta): ObjectMeta {
  const slim: ObjectMeta & { managedFields?: unknown; annotations?: Readonly<Record<string, string>> } = {
    ...metadata,
  };
  delete slim.managedFields;
  if (metadata.annotations && LAST_APPLIED in metadata.annotations) {
    slim.annotations = Object.fromEntries(Object.entries(metadata.annotations).filter(([key]) => key !== LAST_APPLIED));
  }
  return slim;
}
