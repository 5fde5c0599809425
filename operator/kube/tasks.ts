// The GenerationTask objects: reads from the cache, writes through the API. Carries out and decides nothing.
// Every write is bound to the object it was meant for, by resourceVersion or UID; none replaces what others wrote.
import type { ResolvedInput, Tasks } from "../reconcile/ports.ts";
import { isConflict, isInvalid, isNotFound } from "../runtime/errors.ts";
import { removeFinalizerPatch } from "../runtime/finalizers.ts";
import { makeOwnWrites, type OwnWrites } from "../runtime/own-writes.ts";
import { referenceTo, type Recorder } from "../runtime/recorder.ts";
import type { Resource } from "../runtime/resources.ts";
import type { Store } from "../runtime/store.ts";
import type { TaskKey } from "../task/brand.ts";
import { FINALIZER, type TaskStatus } from "../task/resource.ts";
import type { Task, UnreadableTask } from "../task/task.ts";
import type { Secrets } from "./secrets.ts";
import { eventFor, lateEventFor } from "./task-events.ts";
import { resolveInput } from "./task-input.ts";
import { objectKeyOf, type CachedTask } from "./kept-task.ts";
import { cachedTask, readTask, type WireTask } from "./task-object.ts";
import { isAsSeen, pinPatch, statusWrite } from "./task-patches.ts";

export interface TasksDeps {
  /** The reflector's store, filled through `cachedTask`. */
  readonly cache: Pick<Store<CachedTask>, "get" | "seen">;
  readonly resource: Resource<WireTask>;
  readonly secrets: Secrets;
  readonly recorder: Pick<Recorder, "record">;
}

/** The limit of one call; a pass has its own. */
const CALL_MS = 15_000;

interface World extends TasksDeps {
  readonly own: OwnWrites<CachedTask>;
}

/** Faults of the API are thrown as KubeError; the pass is then repeated. */
export function makeTasks(deps: TasksDeps): Tasks {
  const world: World = { ...deps, own: makeOwnWrites<CachedTask>(deps.cache) };
  return {
    get: (objectKey) => world.own.get(objectKey)?.read,
    exists: async (namespace, name, uid, signal) => {
      const object = await deps.resource.get(`${namespace}/${name}`, { signal, timeoutMs: CALL_MS });
      return object?.metadata.uid === uid;
    },
    pin: (task, key, signal) => pin(world, { task, key }, signal),
    report: (task, status, signal) => report(world, { task, status }, signal),
    letGo: (task, signal) => letGo(world, task, signal),
    remove: (task, signal) => remove(world, task, signal),
    input: (task, signal) => input(world, task, signal),
  };
}

async function pin(world: World, { task, key }: { task: Task; key: TaskKey }, signal: AbortSignal): Promise<boolean> {
  const object = world.own.get(task.objectKey);
  if (!object || !isAsSeen(object.read, task)) return false;
  if (task.pinnedKey === key && task.finalizer) return true;

  try {
    const options = { signal, timeoutMs: CALL_MS };
    const written = await world.resource.jsonPatch(task.objectKey, pinPatch(object, key), options);
    world.own.wrote(cachedTask(written));
    return true;
  } catch (error) {
    if (await hasMoved(world, { object, error }, signal)) return false;
    throw error;
  }
}

/** Whether a write failed because the object changed. One refused without a change would be refused for ever. */
async function hasMoved(
  world: World,
  { object, error }: { object: CachedTask; error: unknown },
  signal: AbortSignal,
): Promise<boolean> {
  if (isNotFound(error)) return true;
  if (!isConflict(error) && !isInvalid(error)) return false;
  const now = await live(world, objectKeyOf(object.metadata), signal);
  return now?.metadata.resourceVersion !== object.metadata.resourceVersion;
}

async function report(
  world: World,
  { task, status }: { task: Task | UnreadableTask; status: TaskStatus },
  signal: AbortSignal,
): Promise<void> {
  const object = world.own.get(task.objectKey);
  if (!object || !isOf(object, task)) return;
  try {
    await writeStatus(world, { object, status }, signal);
  } catch (error) {
    if (isNotFound(error)) return;
    if (!isConflict(error)) throw error;
    // The cache was behind. The difference is taken again, from the object as it is; a second conflict is thrown.
    const now = await live(world, task.objectKey, signal);
    if (now && isOf(now, task)) await writeStatus(world, { object: now, status }, signal);
  }
}

async function writeStatus(
  world: World,
  { object, status }: { object: CachedTask; status: TaskStatus },
  signal: AbortSignal,
): Promise<void> {
  const write = statusWrite(object, status);
  if (!write) return;

  const options = { signal, timeoutMs: CALL_MS };
  const written = await world.resource.patchStatus(objectKeyOf(object.metadata), write.patch, options);
  world.own.wrote(cachedTask(written));

  for (const event of [eventFor(write.previous, write.next), lateEventFor(write.previous, write.next)])
    if (event) world.recorder.record({ about: referenceTo(object), ...event });
}

async function letGo(world: World, task: Task, signal: AbortSignal): Promise<void> {
  const object = world.own.get(task.objectKey);
  if (!object || !isOf(object, task)) return;
  try {
    await takeFinalizerOff(world, object, signal);
  } catch (error) {
    if (isNotFound(error)) return;
    if (!isInvalid(error) && !isConflict(error)) throw error;
    // Somebody else changed the list of finalizers. Theirs stay; ours is looked for again, once.
    const now = await live(world, task.objectKey, signal);
    if (now && isOf(now, task)) await takeFinalizerOff(world, now, signal);
  }
}

async function takeFinalizerOff(world: World, object: CachedTask, signal: AbortSignal): Promise<void> {
  const operations = removeFinalizerPatch(object, FINALIZER);
  if (!operations) return;
  const options = { signal, timeoutMs: CALL_MS };
  world.own.wrote(cachedTask(await world.resource.jsonPatch(objectKeyOf(object.metadata), operations, options)));
}

async function remove(world: World, task: Task, signal: AbortSignal): Promise<void> {
  try {
    await world.resource.remove(task.objectKey, { uid: task.uid, signal, timeoutMs: CALL_MS });
  } catch (error) {
    if (!isConflict(error)) throw error; // a conflict: the name belongs to another object by now
  }
}

/** Reads the object live: the cache holds no inputs, and what is about to be paid for is looked at as it is. */
async function input(world: World, task: Task, signal: AbortSignal): Promise<ResolvedInput> {
  const object = await world.resource.get(task.objectKey, { signal, timeoutMs: CALL_MS });
  const now = object && readTask(object);
  if (!now || !("spec" in now) || now.uid !== task.uid || now.specHash !== task.specHash) {
    return { outcome: "unavailable", message: "cannot read spec.input: the object is gone or is another one" };
  }
  return resolveInput(world.secrets, task.namespace, now.spec, signal);
}

/** The object as it is now, which from here on is the least that `get` answers. */
async function live(world: World, objectKey: string, signal: AbortSignal): Promise<CachedTask | undefined> {
  const object = await world.resource.get(objectKey, { signal, timeoutMs: CALL_MS });
  if (!object) return undefined;
  const cached = cachedTask(object);
  world.own.wrote(cached);
  return cached;
}

function isOf(object: CachedTask, task: Task | UnreadableTask): boolean {
  return !("uid" in task) || object.metadata.uid === task.uid;
}
