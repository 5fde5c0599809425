// What the cache keeps of a GenerationTask: little enough that a hundred thousand fit, and all that a pass begins with. Whoever needs
// the input reads the object live. The tables here only share what is equal anyway, so it does not matter whose they are.
import { apiVersionOf, type KubeObject, type ObjectMeta } from "../runtime/objects.ts";
import type { Phase } from "../task/phase.ts";
import { numberOf } from "../task/provider.ts";
import { FINALIZER, PHASES, TASK_KEY_ANNOTATION, TaskStatus, type TaskSpec } from "../task/resource.ts";
import type { Task, UnreadableTask } from "../task/task.ts";
import { TASKS } from "./kinds.ts";
import { makeIntern, makePacker, unpack, type Names, type Packed } from "./packed.ts";

/** What the cache holds of it: what identifies the object, its status as it stands, and the task that was read from it. */
export interface CachedTask extends KubeObject {
  /** Made anew at each call, as `read` is. */
  readonly status?: unknown;
  readonly read: Task | UnreadableTask;
  /** What status says, believed without reading the rest of it: for counting and for orders, not for decisions. */
  readonly phase: Phase | undefined;
  /** The name in its spec; undefined when that can't be read. */
  readonly provider: string | undefined;
}

/** A spec without what differs from task to task. */
export type SharedSpec = Omit<TaskSpec, "input" | "idempotencyKey">;

export interface SpecParts {
  readonly shared: SharedSpec;
  readonly input: TaskSpec["input"];
  readonly idempotencyKey: string | undefined;
  readonly specHash: string;
}

const MAX_SHARED = 4_096;
const packStatus = makePacker();
const shareInput = makeIntern<TaskSpec["input"]>(MAX_SHARED);
const shareList = makeIntern<readonly string[]>(MAX_SHARED);
const shareText = makeIntern<string>(MAX_SHARED);
const NO_ANNOTATIONS = {};
const KIND = "GenerationTask";
const VERSION = ["resourceVersion", "uid", "generation", "deletionTimestamp"] as const;

// One object a task, whose getters are the class's: closures of its own would be more than what it keeps.
class KeptTask implements CachedTask {
  readonly metadata: ObjectMeta;
  readonly phase: Phase | undefined;
  readonly #spec: SpecParts | string;
  readonly #status: Packed | undefined;
  readonly #jobId: string | undefined;

  /** `spec`: its parts, or why it can't be read. */
  constructor(metadata: ObjectMeta, spec: SpecParts | string, status: unknown) {
    this.metadata = ownMeta(metadata);
    this.#spec = typeof spec === "string" ? spec : { ...spec, input: quantitiesOf(spec.input) };
    this.phase = phaseIn(status);
    this.#jobId = textIn(status, "providerJobID");
    this.#status = status === undefined ? undefined : packStatus(status, this.#names());
  }

  get apiVersion(): string {
    return apiVersionOf(TASKS);
  }

  get kind(): string {
    return KIND;
  }

  get status(): unknown {
    return this.#status && unpack(this.#status, this.#names());
  }

  get provider(): string | undefined {
    return typeof this.#spec === "string" ? undefined : this.#spec.shared.providerRef.name;
  }

  get read(): Task | UnreadableTask {
    const { metadata } = this;
    if (typeof this.#spec === "string") return { objectKey: objectKeyOf(metadata), message: this.#spec };
    return taskFrom(metadata, this.#spec, () => this.status);
  }

  /** Whether this is the same version, by more than its number: a database restored from a backup gives numbers again. */
  isStill({ metadata, status }: { readonly metadata: ObjectMeta; readonly status?: unknown }): boolean {
    if (metadata.resourceVersion === undefined) return false;
    if (VERSION.some((field) => metadata[field] !== this.metadata[field])) return false;
    const now = status === undefined ? undefined : packStatus(status, this.#names());
    return now?.words === this.#status?.words && now?.template === this.#status?.template;
  }

  #names(): Names {
    return [this.metadata.uid, this.#jobId];
  }
}

/** `spec`: its parts, or the sentence that says why it can't be read. */
export function keep(metadata: ObjectMeta, spec: SpecParts | string, status: unknown): CachedTask {
  return new KeptTask(metadata, spec, status);
}

/** Whether it need not be kept anew: a relist would otherwise fill memory with a second copy of everything. */
export function isKept(
  kept: CachedTask | undefined,
  object: { readonly metadata: ObjectMeta; readonly status?: unknown },
): kept is CachedTask {
  return kept instanceof KeptTask && kept.isStill(object);
}

/** The metadata must have been checked. The status is read when somebody asks, and once. */
export function taskFrom(metadata: ObjectMeta, parts: SpecParts, statusOf: () => unknown): Task {
  const { annotations = NO_ANNOTATIONS, creationTimestamp = "", deletionTimestamp, finalizers = [] } = metadata;
  const { generation = 0, name, namespace = "", uid = "" } = metadata;
  const { idempotencyKey, input, shared, specHash } = parts;
  let reported: TaskStatus | undefined;
  return {
    objectKey: objectKeyOf(metadata),
    namespace,
    name,
    uid,
    generation,
    createdAt: new Date(creationTimestamp),
    spec: { ...shared, input, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    specHash,
    pinnedKey: pinnedIn(annotations),
    finalizer: finalizers.includes(FINALIZER),
    deletedAt: deletionTimestamp === undefined ? undefined : new Date(deletionTimestamp),
    get reported() {
      return (reported ??= readStatus(statusOf()));
    },
  };
}

/** The status, or an empty one when it is none of ours: a wiped or foreign status is written anew. */
export function readStatus(status: unknown): TaskStatus {
  return TaskStatus.safeParse(status ?? {}).success ? (status ?? {}) : {};
}

export function objectKeyOf({ name, namespace = "" }: ObjectMeta): string {
  return `${namespace}/${name}`;
}

/** What the operator reads of it, or writes with it: owners, labels and others' annotations stay where they are. */
function ownMeta({ annotations, finalizers, namespace, ...metadata }: ObjectMeta): ObjectMeta {
  const pinned = annotations && pinnedIn(annotations);
  return {
    ...scalarsOf(metadata),
    ...(namespace !== undefined && { namespace: shareText(namespace, () => namespace) }),
    // A map stays a map, if empty: it is not made once more.
    ...(annotations && { annotations: pinned === undefined ? NO_ANNOTATIONS : { [TASK_KEY_ANNOTATION]: pinned } }),
    ...(finalizers && { finalizers: shareList(finalizers.join(), () => [...finalizers]) }),
  };
}

function scalarsOf(metadata: ObjectMeta): ObjectMeta {
  const { creationTimestamp, deletionTimestamp, generation, name, resourceVersion, uid } = metadata;
  return {
    name,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(generation !== undefined && { generation }),
    ...(creationTimestamp !== undefined && {
      creationTimestamp: shareText(creationTimestamp, () => creationTimestamp),
    }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

function pinnedIn(annotations: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(annotations, TASK_KEY_ANNOTATION) ? annotations[TASK_KEY_ANNOTATION] : undefined;
}

function textIn(status: unknown, field: string): string | undefined {
  if (typeof status !== "object" || status === null || !Object.hasOwn(status, field)) return undefined;
  const value = (status as Readonly<Record<string, unknown>>)[field];
  return typeof value === "string" ? value : undefined;
}

function phaseIn(status: unknown): Phase | undefined {
  const said = textIn(status, "phase");
  return PHASES.find((phase) => phase === said);
}

/** The names that a price may refer to (see Price in task/provider-resource.ts). */
const PRICE_FIELD = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Fields at the top as the numbers that prices read, NaN where one is none: every price comes out as of the whole input. */
function quantitiesOf(input: TaskSpec["input"]): TaskSpec["input"] {
  const fields = Object.entries(input)
    .filter(([field, value]) => value !== null && PRICE_FIELD.test(field))
    .map(([field, value]) => [field, numberOf(value)] as const);
  return shareInput(fields.map(([field, value]) => `${field}=${Object.is(value, -0) ? "-0" : value}`).join(), () =>
    Object.fromEntries(fields),
  );
}
