import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SECRETS, TASKS } from "../../../operator/kube/kinds.ts";
import { makeSecrets, type SecretObject } from "../../../operator/kube/secrets.ts";
import { cachedTask, type CachedTask, type WireTask } from "../../../operator/kube/task-object.ts";
import { makeTasks } from "../../../operator/kube/tasks.ts";
import type { Tasks } from "../../../operator/reconcile/ports.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { makeReflector, type Reflector } from "../../../operator/runtime/reflector.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import type { TaskKey } from "../../../operator/task/brand.ts";
import type { TaskStatus } from "../../../operator/task/resource.ts";
import type { Task } from "../../../operator/task/task.ts";
import {
  LIMIT_MS,
  eventsAbout,
  eventually,
  makeCluster,
  signal,
  startRecorder,
  taskManifest,
  type Cluster,
} from "./fixture.ts";

let cluster: Cluster;
let cache: Reflector<CachedTask>;
let tasks: Tasks;

beforeAll(async () => {
  cluster = await makeCluster();
  const { operator: transport, namespace } = cluster;
  cache = makeReflector<CachedTask>({ transport, kind: TASKS, namespace, transform: cachedTask });
  void cache.run(cluster.end);
  await cache.whenSynced(signal());
  const secrets = makeSecrets({
    resource: makeResource<SecretObject>(transport, SECRETS),
    clock: systemClock,
    settings: { keepMs: 0 },
  });
  tasks = makeTasks({
    cache,
    resource: makeResource<WireTask>(transport, TASKS),
    secrets,
    recorder: startRecorder(cluster),
  });
}, LIMIT_MS);

afterAll(() => cluster.close(), LIMIT_MS);

const keyOf = (name: string): string => `${cluster.namespace}/${name}`;
const live = async (name: string): Promise<WireTask> => {
  const object = await cluster.admin.tasks.get(keyOf(name), { signal: signal() });
  if (!object) throw new Error(`${name} is gone`);
  return object;
};

/** Creates the object and answers the task once the cache has it. */
async function create(name: string, over: { spec?: object; metadata?: object } = {}): Promise<Task> {
  await cluster.admin.tasks.create(taskManifest(cluster.namespace, name, over), { signal: signal() });
  return cached(name);
}

async function cached(name: string): Promise<Task> {
  const read = await eventually(
    () => tasks.get(keyOf(name)),
    (found) => found !== undefined && "spec" in found,
  );
  return read as Task;
}

const mine = (name: string): TaskKey => keyOf(name) as TaskKey;
const conditionsAt = (time: string): TaskStatus["conditions"] => [
  { type: "Held", status: "True", reason: "Held", message: "held", observedGeneration: 1, lastTransitionTime: time },
];

describe("reading", () => {
  test("a task is read through the cache, with the numbers of its input only", async () => {
    const task = await create("read");
    expect(task).toMatchObject({ objectKey: keyOf("read"), pinnedKey: undefined, finalizer: false });
    expect(task.spec.input).toEqual({ num_outputs: 2 });
  });

  test("existence is asked live, by name and UID", async () => {
    const { uid } = await create("exists");
    expect(await tasks.exists(cluster.namespace, "exists", uid, signal())).toBe(true);
    expect(await tasks.exists(cluster.namespace, "exists", "another", signal())).toBe(false);
    expect(await tasks.exists(cluster.namespace, "nothing", uid, signal())).toBe(false);
  });

  test("the input comes whole, with the values of Secrets of the task's own namespace", async () => {
    const spec = { inputFrom: [{ path: "/auth/token", secretKeyRef: { name: "studio", key: "token" } }] };
    const task = await create("inputs", { spec });
    expect(await tasks.input(task, signal())).toEqual({
      outcome: "unavailable",
      message: `cannot read Secret studio in namespace ${cluster.namespace}: it does not exist`,
    });

    const data = { token: Buffer.from("hush").toString("base64") };
    await cluster.admin.secrets.create(
      { metadata: { name: "studio", namespace: cluster.namespace }, data },
      { signal: signal() },
    );
    expect(await tasks.input(task, signal())).toEqual({
      outcome: "resolved",
      input: { prompt: "a harbour", num_outputs: 2, auth: { token: "hush" } },
    });
  });

  test("the input of an object that was replaced by another one is not given out", async () => {
    const task = await create("replaced");
    await cluster.admin.tasks.remove(keyOf("replaced"), { signal: signal() });
    await cluster.admin.tasks.create(taskManifest(cluster.namespace, "replaced"), { signal: signal() });
    expect(await tasks.input(task, signal())).toMatchObject({ outcome: "unavailable" });
  });
});

describe("pinning", () => {
  test("key and finalizer are there at once, and what was written is read at once", async () => {
    const task = await create("pin", {
      metadata: { annotations: { "team.example/x": "1" }, finalizers: ["team.example/keep"] },
    });
    expect(await tasks.pin(task, mine("pin"), signal())).toBe(true);
    expect(tasks.get(task.objectKey)).toMatchObject({ pinnedKey: mine("pin"), finalizer: true });
    const { annotations, finalizers } = (await live("pin")).metadata;
    expect(annotations).toEqual({ "team.example/x": "1", "genop.dev/task-key": mine("pin") });
    expect(finalizers).toEqual(["team.example/keep", "genop.dev/settle"]);
    await cluster.admin.tasks.patch(keyOf("pin"), { metadata: { finalizers: [] } }, { signal: signal() });
  });

  test("an object that somebody changed after it was looked at is not pinned", async () => {
    const task = await create("race");
    const held = new Promise<Task>((resolve) => cache.onChange((key) => key === keyOf("race") && resolve(task)));
    // The change is in the API server and not yet in the task that was looked at; the cache may have it or not.
    await cluster.admin.tasks.patch(keyOf("race"), { spec: { suspend: true } }, { signal: signal() });
    await held;
    expect(await tasks.pin(task, mine("race"), signal())).toBe(false);
    expect((await live("race")).metadata.finalizers).toBeUndefined();

    expect(await tasks.pin(await cached("race"), mine("race"), signal())).toBe(true);
    await cluster.admin.tasks.patch(keyOf("race"), { metadata: { finalizers: null } }, { signal: signal() });
  });

  test("a change that the cache has not heard of is seen by the API server, and then by the next look", async () => {
    const deaf = deafTasks();
    const task = await create("deaf");
    deaf.hear(keyOf("deaf"));
    await cluster.admin.tasks.patch(keyOf("deaf"), { spec: { suspend: true } }, { signal: signal() });
    expect(await deaf.tasks.pin(task, mine("deaf"), signal())).toBe(false);
    expect((await live("deaf")).metadata.annotations).toBeUndefined();
    expect(deaf.tasks.get(keyOf("deaf"))).toMatchObject({ spec: { suspend: true } });
  });

  test("of two who pin at once, one wins", async () => {
    const task = await create("two");
    const [one, two] = [deafTasks(), deafTasks()];
    one.hear(keyOf("two"));
    two.hear(keyOf("two"));
    const won = await Promise.all([
      one.tasks.pin(task, mine("one"), signal()),
      two.tasks.pin(task, mine("two"), signal()),
    ]);
    expect(won.filter(Boolean)).toHaveLength(1);
    const [winner] = won[0] ? ["one"] : ["two"];
    expect((await live("two")).metadata.annotations?.["genop.dev/task-key"]).toBe(keyOf(winner ?? ""));
    await cluster.admin.tasks.patch(keyOf("two"), { metadata: { finalizers: null } }, { signal: signal() });
  });

  test("an object that is gone is not pinned", async () => {
    const task = await create("gone");
    const deaf = deafTasks();
    deaf.hear(keyOf("gone"));
    await cluster.admin.tasks.remove(keyOf("gone"), { signal: signal() });
    expect(await deaf.tasks.pin(task, mine("gone"), signal())).toBe(false);
  });
});

describe("reporting", () => {
  const reported = (phase: NonNullable<TaskStatus["phase"]>, time = "2026-11-30T12:00:00Z"): TaskStatus => ({
    phase,
    reason: "Held",
    message: "held",
    attempt: 1,
    conditions: conditionsAt(time),
  });

  test("the same again writes nothing, also with a fresh time on a condition that did not flip", async () => {
    const task = await create("quiet");
    await tasks.report(task, reported("Pending"), signal());
    const { resourceVersion } = (await live("quiet")).metadata;
    await tasks.report(task, reported("Pending"), signal());
    await tasks.report(task, reported("Pending", "2026-11-30T18:00:00Z"), signal());
    const now = await live("quiet");
    expect(now.metadata.resourceVersion).toBe(resourceVersion);
    expect(now.status).toEqual(reported("Pending"));
  });

  test("what is no longer said is taken away", async () => {
    const task = await create("less");
    await tasks.report(task, { ...reported("Pending"), queuePosition: 3 }, signal());
    await tasks.report(task, reported("Polling"), signal());
    expect((await live("less")).status).toEqual(reported("Polling"));
  });

  test("a report that meets a changed object is computed again from the object as it is", async () => {
    const task = await create("moved");
    const deaf = deafTasks();
    deaf.hear(keyOf("moved"));
    await cluster.admin.tasks.patchStatus(
      keyOf("moved"),
      { status: { phase: "Failed", progress: 90 } },
      { signal: signal() },
    );
    await deaf.tasks.report(task, reported("Polling"), signal());
    expect((await live("moved")).status).toEqual(reported("Polling"));
  });

  test("nothing is written onto another object of the same name", async () => {
    const task = await create("other");
    const deaf = deafTasks();
    deaf.hear(keyOf("other"));
    await cluster.admin.tasks.remove(keyOf("other"), { signal: signal() });
    await cluster.admin.tasks.create(taskManifest(cluster.namespace, "other"), { signal: signal() });
    await deaf.tasks.report(task, reported("Polling"), signal());
    expect((await live("other")).status).toBeUndefined();
  });

  test("an object that is gone is no fault", async () => {
    const task = await create("vanished");
    const deaf = deafTasks();
    deaf.hear(keyOf("vanished"));
    await cluster.admin.tasks.remove(keyOf("vanished"), { signal: signal() });
    await expect(deaf.tasks.report(task, reported("Polling"), signal())).resolves.toBeUndefined();
  });

  test("an object that can't be read is reported on", async () => {
    const spec = { input: { seed: 2 ** 60 } };
    await cluster.admin.tasks.create(taskManifest(cluster.namespace, "unreadable", { spec }), { signal: signal() });
    const read = await eventually(
      () => tasks.get(keyOf("unreadable")),
      (found) => found !== undefined,
    );
    if (!read || "spec" in read) throw new Error("it was readable");
    expect(read.message).toMatch(/^cannot pass spec\.input on/);
    await tasks.report(read, { phase: "Rejected", reason: "TaskUnreadable", message: read.message }, signal());
    expect((await live("unreadable")).status).toMatchObject({ phase: "Rejected" });
  });

  test("each transition is one event, however often it is reported", async () => {
    const task = await create("events");
    for (const phase of [
      "Pending",
      "Pending",
      "Submitting",
      "SubmitUnknown",
      "SubmitUnknown",
      "Polling",
      "Polling",
    ] as const) {
      await tasks.report(task, reported(phase), signal());
    }
    await tasks.report(task, { ...reported("Succeeded"), reason: "AssetsPublished" }, signal());
    const events = await eventually(
      () => eventsAbout(cluster, "events"),
      (found) => found.some(({ reason }) => reason === "Succeeded"),
    );
    expect(events.map(({ type, reason }) => `${type} ${reason}`).sort()).toEqual([
      "Normal Held",
      "Normal Recovered",
      "Normal Succeeded",
      "Warning SubmitUnknown",
    ]);
    expect(events.every((event) => !("series" in event) && event.regarding.kind === "GenerationTask")).toBe(true);
  });
});

describe("letting go", () => {
  const held = (name: string, finalizers: readonly string[]): Promise<Task> =>
    create(name, { metadata: { finalizers } });

  test("our finalizer goes, and those of others stay", async () => {
    const task = await held("shared", ["team.example/one", "genop.dev/settle", "team.example/two"]);
    await tasks.letGo(task, signal());
    expect((await live("shared")).metadata.finalizers).toEqual(["team.example/one", "team.example/two"]);
    await tasks.letGo(task, signal());
    await cluster.admin.tasks.patch(keyOf("shared"), { metadata: { finalizers: null } }, { signal: signal() });
  });

  test("a list that somebody changed meanwhile is looked at again", async () => {
    const task = await held("changed", ["genop.dev/settle"]);
    const deaf = deafTasks();
    deaf.hear(keyOf("changed"));
    const finalizers = ["team.example/late", "genop.dev/settle"];
    await cluster.admin.tasks.patch(keyOf("changed"), { metadata: { finalizers } }, { signal: signal() });
    await deaf.tasks.letGo(task, signal());
    expect((await live("changed")).metadata.finalizers).toEqual(["team.example/late"]);
    await cluster.admin.tasks.patch(keyOf("changed"), { metadata: { finalizers: null } }, { signal: signal() });
  });

  test("a deleted object goes when it is let go, and one that is gone already is no fault", async () => {
    await held("deleted", ["genop.dev/settle"]);
    await cluster.admin.tasks.remove(keyOf("deleted"), { signal: signal() });
    const task = (await eventually(
      () => tasks.get(keyOf("deleted")),
      (read) => read !== undefined && "spec" in read && read.deletedAt !== undefined,
    )) as Task;
    const deaf = deafTasks();
    deaf.hear(keyOf("deleted"));
    await tasks.letGo(task, signal());
    await expect(live("deleted")).rejects.toThrow(/gone/);
    await expect(deaf.tasks.letGo(task, signal())).resolves.toBeUndefined();
  });
});

describe("removing", () => {
  test("the object is deleted, and one that is gone already is no fault", async () => {
    const task = await create("ttl");
    await tasks.remove(task, signal());
    await expect(live("ttl")).rejects.toThrow(/gone/);
    await expect(tasks.remove(task, signal())).resolves.toBeUndefined();
  });

  test("another object of the same name is left alone", async () => {
    const task = await create("reborn");
    await cluster.admin.tasks.remove(keyOf("reborn"), { signal: signal() });
    await cluster.admin.tasks.create(taskManifest(cluster.namespace, "reborn"), { signal: signal() });
    await expect(tasks.remove(task, signal())).resolves.toBeUndefined();
    expect((await live("reborn")).metadata.uid).not.toBe(task.uid);
  });
});

/** Tasks over a cache that has heard of an object once and of nothing since. */
function deafTasks(): { readonly tasks: Tasks; hear(objectKey: string): void } {
  const heard = new Map<string, CachedTask>();
  const transport = cluster.operator;
  const secrets = makeSecrets({ resource: makeResource<SecretObject>(transport, SECRETS), clock: systemClock });
  const seen = cache.seen();
  const deaf = makeTasks({
    cache: { get: (key) => heard.get(key), seen: () => seen },
    resource: makeResource<WireTask>(transport, TASKS),
    secrets,
    recorder: { record: () => undefined },
  });
  return {
    tasks: deaf,
    hear: (objectKey) => {
      const object = cache.get(objectKey);
      if (object) heard.set(objectKey, object);
    },
  };
}
