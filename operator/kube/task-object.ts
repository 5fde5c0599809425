// A GenerationTask as the API server sends it, read once into a Task, and what is kept of it in memory.
// Status is a view: an unreadable one counts as empty, and none permits anything.
import { z } from "zod";
import type { KubeObject, ObjectMeta } from "../runtime/objects.ts";
import { TaskSpec } from "../task/resource.ts";
import { taskKeyOf } from "../task/task.ts";
import type { Task, UnreadableTask } from "../task/task.ts";
import { canonicalJson, sha256 } from "./canonical.ts";
import {
  keep,
  objectKeyOf,
  readStatus,
  taskFrom,
  type CachedTask,
  type SharedSpec,
  type SpecParts,
} from "./kept-task.ts";
import { makeIntern } from "./packed.ts";
import { sentenceOf } from "./problems.ts";

/** What the API server sends. Nothing of it is believed before `readTask`. */
export interface WireTask extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
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
  const parts = partsOf(object);
  if (typeof parts === "string") return { objectKey: objectKeyOf(object.metadata), message: parts };
  return taskFrom(object.metadata, parts, () => object.status);
}

/** What the spec says, with the metadata checked; or the sentence that says why the object can't be read. */
function partsOf({ metadata, spec }: WireTask): SpecParts | string {
  const meta = Meta.safeParse(metadata);
  if (!meta.success) return sentenceOf(meta.error, { what: "read the task", root: "metadata" });
  return sharedParts(spec) ?? wholeParts(spec);
}

function wholeParts(spec: unknown): SpecParts | string {
  const whole = TaskSpec.safeParse(spec);
  if (!whole.success) return sentenceOf(whole.error, { what: "read the task", root: "spec" });
  const { idempotencyKey, input, ...shared } = whole.data;
  return { shared, input, idempotencyKey, specHash: specHashOf(whole.data) };
}

const Shared = TaskSpec.omit({ input: true, idempotencyKey: true });
const Own = TaskSpec.pick({ input: true, idempotencyKey: true });
const shareSpec = makeIntern<SharedSpec | "unreadable">(4_096);

/** The same as the whole, for what differs little from task to task: most of it is read once for all. Undefined: read the whole. */
function sharedParts(spec: unknown): SpecParts | undefined {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) return undefined;
  const { idempotencyKey, input, ...rest } = spec as Readonly<Record<string, unknown>>;
  const own = Own.safeParse(idempotencyKey === undefined ? { input } : { input, idempotencyKey });
  if (!own.success) return undefined;
  const shared = shareSpec(JSON.stringify(rest), () => Shared.safeParse(rest).data ?? "unreadable");
  if (shared === "unreadable") return undefined;
  const specHash = specHashOf({ ...shared, input: own.data.input });
  return { shared, input: own.data.input, idempotencyKey: own.data.idempotencyKey, specHash };
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
  if (!next || !previous) return false;
  const [now, before] = [next.read, previous.read];
  if (!("spec" in now) || !("spec" in before)) return false;
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
function specHashOf({ providerRef, model, input, inputFrom }: Omit<TaskSpec, "idempotencyKey">): string {
  return sha256(canonicalJson({ provider: providerRef.name, model, input, inputFrom }));
}

/**
 * The transform of the cache: reads the task once a change, and keeps of its input only what prices are computed from.
 * Whole inputs would fill the memory of an operator with many tasks; one is read live when it is about to be paid for.
 */
export function cachedTask(object: WireTask): CachedTask {
  return keep(object.metadata, partsOf(object), object.status);
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
