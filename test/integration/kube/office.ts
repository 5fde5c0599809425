// Tasks on a real API server: the port under test over the operator's own account, and objects that a person makes.
import { SECRETS, TASKS } from "../../../operator/kube/kinds.ts";
import { makeSecrets, type SecretObject } from "../../../operator/kube/secrets.ts";
import type { CachedTask } from "../../../operator/kube/kept-task.ts";
import { cachedTask, type WireTask } from "../../../operator/kube/task-object.ts";
import { makeTasks } from "../../../operator/kube/tasks.ts";
import type { Tasks } from "../../../operator/reconcile/ports.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { makeReflector, type Reflector } from "../../../operator/runtime/reflector.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import type { Task } from "../../../operator/task/task.ts";
import { eventually, makeCluster, signal, startRecorder, taskManifest, type Cluster } from "./fixture.ts";

interface Change {
  readonly spec?: object;
  readonly metadata?: object;
}

export interface Office {
  readonly cluster: Cluster;
  readonly cache: Reflector<CachedTask>;
  readonly tasks: Tasks;
  keyOf(name: string): string;
  /** The object as it is; throws when it is gone. */
  live(name: string): Promise<WireTask>;
  /** Creates the object and answers the task once the cache has it. */
  create(name: string, over?: Change): Promise<Task>;
  cached(name: string): Promise<Task>;
  /** As another person, without looking. */
  change(name: string, mergePatch: object): Promise<void>;
  remove(name: string): Promise<void>;
  /** Another object under the name. */
  replace(name: string): Promise<void>;
  /** Tasks over a cache that has heard of these objects as they are now, and hears nothing more. */
  deaf(...names: readonly string[]): Tasks;
}

export async function makeOffice(): Promise<Office> {
  const cluster = await makeCluster();
  const { operator: transport, tenant: namespace, admin } = cluster;
  const cache = makeReflector<CachedTask>({ transport, kind: TASKS, namespace, transform: cachedTask });
  void cache.run(cluster.end);
  await cache.whenSynced(signal());

  const keyOf = (name: string): string => `${namespace}/${name}`;
  const secrets = makeSecrets({
    resource: makeResource<SecretObject>(transport, SECRETS),
    clock: systemClock,
    settings: { keepMs: 0 },
  });
  const common = { resource: makeResource<WireTask>(transport, TASKS), secrets };
  const tasks = makeTasks({ ...common, cache, recorder: startRecorder(cluster) });
  const manifest = (name: string, over: Change = {}): WireTask => taskManifest(namespace, name, over);

  const cached = async (name: string): Promise<Task> =>
    (await eventually(
      () => tasks.get(keyOf(name)),
      (found) => found !== undefined && "spec" in found,
    )) as Task;
  return {
    ...{ cluster, cache, tasks, keyOf, cached },
    live: async (name) => {
      const object = await admin.tasks.get(keyOf(name), { signal: signal() });
      if (!object) throw new Error(`${name} is gone`);
      return object;
    },
    create: async (name, over) => {
      await admin.tasks.create(manifest(name, over), { signal: signal() });
      return cached(name);
    },
    change: async (name, mergePatch) => {
      await admin.tasks.patch(keyOf(name), mergePatch, { signal: signal() });
    },
    remove: async (name) => {
      await admin.tasks.remove(keyOf(name), { signal: signal() });
    },
    replace: async (name) => {
      await admin.tasks.remove(keyOf(name), { signal: signal() });
      await admin.tasks.create(manifest(name), { signal: signal() });
    },
    deaf: (...names) => {
      const heard = new Map(names.map((name) => [keyOf(name), cache.get(keyOf(name))]));
      const seen = cache.seen();
      const deafCache = { get: (key: string) => heard.get(key), seen: () => seen };
      return makeTasks({ ...common, cache: deafCache, recorder: { record: () => undefined } });
    },
  };
}
