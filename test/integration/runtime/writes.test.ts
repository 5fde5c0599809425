// Writes whose form only a real API server can judge: finalizer patches, events, own writes, preconditions.
import { expect, test } from "@jest/globals";
import { isConflict, isInvalid } from "../../../operator/runtime/errors.ts";
import { addFinalizerPatch, removeFinalizerPatch } from "../../../operator/runtime/finalizers.ts";
import type { KubeObject } from "../../../operator/runtime/objects.ts";
import { makeOwnWrites } from "../../../operator/runtime/own-writes.ts";
import { makeRecorder, referenceTo } from "../../../operator/runtime/recorder.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { watchEvents } from "../../../operator/runtime/watch.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { follow, makeCluster, never } from "./cluster.ts";

const environment = sharedEnvironment();
const EVENTS = { group: "events.k8s.io", version: "v1", plural: "events", namespaced: true };

test("finalizers are added and removed beside others, and never over a list that changed", async () => {
  const { namespace, maps, put } = await makeCluster(environment);
  const [key, options] = [`${namespace}/a`, { signal: never }];
  const bare = await put("a", {});
  const first = await maps.jsonPatch(key, addFinalizerPatch(bare, "example.org/one") ?? [], options);
  expect(first.metadata.finalizers).toEqual(["example.org/one"]);

  const outdated = await maps
    .jsonPatch(key, addFinalizerPatch(bare, "example.org/two") ?? [], options)
    .catch((error: unknown) => error);
  expect(isInvalid(outdated)).toBe(true);
  const both = await maps.jsonPatch(key, addFinalizerPatch(first, "example.org/two") ?? [], options);
  const second = await maps.jsonPatch(key, removeFinalizerPatch(both, "example.org/one") ?? [], options);
  expect(second.metadata.finalizers).toEqual(["example.org/two"]);
  const none = await maps.jsonPatch(key, removeFinalizerPatch(second, "example.org/two") ?? [], options);
  expect(none.metadata.finalizers ?? []).toEqual([]);
}, 60_000);

test("preconditions hold: another object of the same name is not removed, an outdated one not replaced", async () => {
  const { namespace, maps, put } = await makeCluster(environment);
  const old = await put("a", {});
  await put("a", { x: "1" });
  const options = { signal: never };
  expect(isConflict(await maps.replace(old, options).catch((error: unknown) => error))).toBe(true);
  const removed = maps.remove(`${namespace}/a`, { ...options, uid: "another" });
  expect(isConflict(await removed.catch((error: unknown) => error))).toBe(true);
  expect(await maps.remove(`${namespace}/a`, options)).toBe("removed");
  expect(await maps.remove(`${namespace}/a`, options)).toBe("absent");
}, 60_000);

test("events are accepted, and equal ones become a series", async () => {
  const { namespace, direct, put } = await makeCluster(environment);
  const recorder = makeRecorder({ transport: direct, controller: "example.org/test", instance: "test-1" });
  const map = await put("a", {});
  const stop = new AbortController();
  const running = recorder.run({ stop: stop.signal, force: never });
  const about = { apiVersion: "v1", kind: "ConfigMap", ...referenceTo(map) };
  for (let time = 0; time < 3; time++)
    recorder.record({ about, type: "Normal", reason: "Seen", action: "Look", note: "seen" });
  stop.abort(new Error("stop"));
  await running;

  const events: KubeObject[] = [];
  for await (const event of makeResource<KubeObject>(direct, EVENTS).list({ namespace }, { signal: never }))
    events.push(event);
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({ reason: "Seen", regarding: { name: "a" }, series: { count: 3 } });
}, 60_000);

test("own writes are read back at once, however late the cache is", async () => {
  const { namespace, direct, maps, put } = await makeCluster(environment);
  await put("a", { n: "0" });
  const { cache, until } = follow(direct, namespace);
  await cache.whenSynced(never);
  const known = makeOwnWrites(cache);
  for (let n = 1; n <= 50; n++) {
    known.wrote(await maps.patch(`${namespace}/a`, { data: { n: String(n) } }, { signal: never }));
    expect(known.get(`${namespace}/a`)?.data?.n).toBe(String(n));
  }
  await until(() => cache.get(`${namespace}/a`)?.data?.n === "50");
  await put("a", { n: "else" });
  await until(() => known.get(`${namespace}/a`)?.data?.n === "else");
}, 60_000);

test("a watch that the server ends in order ends in order", async () => {
  const { namespace, direct } = await makeCluster(environment);
  const kind = { group: "", version: "v1", plural: "secrets", namespaced: true };
  const types: string[] = [];
  const options = { signal: never, from: "everything", lifetimeMs: 1_000, idleMs: 10_000 } as const;
  for await (const event of watchEvents(direct, kind, { namespace }, options)) types.push(event.type);
  expect(types).toContain("BOOKMARK");
}, 60_000);
