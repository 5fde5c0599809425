import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { TaskKey } from "../../../operator/task/brand.ts";
import { LIMIT_MS, eventually, signal } from "./fixture.ts";
import { makeOffice, type Office } from "./office.ts";

let office: Office;
beforeAll(async () => {
  office = await makeOffice();
}, LIMIT_MS);
afterAll(() => office.cluster.close(), LIMIT_MS);

const mine = (name: string): TaskKey => office.keyOf(name) as TaskKey;

describe("reading", () => {
  test("a task is read through the cache, with the numbers of its input, and of all else only that it is there", async () => {
    const task = await office.create("read");
    expect(task).toMatchObject({ objectKey: office.keyOf("read"), pinnedKey: undefined, finalizer: false });
    expect(task.spec.input).toEqual({ num_outputs: 2, prompt: Number.NaN });
  });

  test("existence is asked live, by name and UID", async () => {
    const { uid } = await office.create("exists");
    expect(await office.tasks.exists(office.cluster.tenant, "exists", uid, signal())).toBe(true);
    expect(await office.tasks.exists(office.cluster.tenant, "exists", "another", signal())).toBe(false);
    expect(await office.tasks.exists(office.cluster.tenant, "nothing", uid, signal())).toBe(false);
  });

  test("the input comes whole, with the values of Secrets of the task's own namespace", async () => {
    const spec = { inputFrom: [{ path: "/auth/token", secretKeyRef: { name: "studio", key: "token" } }] };
    const task = await office.create("inputs", { spec });
    expect(await office.tasks.input(task, signal())).toEqual({
      outcome: "unavailable",
      message: `cannot read Secret studio in namespace ${office.cluster.tenant}: it does not exist`,
    });

    const data = { token: Buffer.from("hush").toString("base64") };
    await office.cluster.admin.secrets.create(
      { metadata: { name: "studio", namespace: office.cluster.tenant }, data },
      { signal: signal() },
    );
    expect(await office.tasks.input(task, signal())).toEqual({
      outcome: "resolved",
      input: { prompt: "a harbour", num_outputs: 2, auth: { token: "hush" } },
    });
  });

  test("the input of an object that was replaced by another one is not given out", async () => {
    const task = await office.create("replaced");
    await office.replace("replaced");
    expect(await office.tasks.input(task, signal())).toMatchObject({ outcome: "unavailable" });
  });
});

describe("pinning", () => {
  test("key and finalizer are there at once, and what was written is read at once", async () => {
    const task = await office.create("pin", {
      metadata: { annotations: { "team.example/x": "1" }, finalizers: ["team.example/keep"] },
    });
    expect(await office.tasks.pin(task, mine("pin"), signal())).toBe(true);
    expect(office.tasks.get(task.objectKey)).toMatchObject({ pinnedKey: mine("pin"), finalizer: true });
    const { annotations, finalizers } = (await office.live("pin")).metadata;
    expect(annotations).toEqual({ "team.example/x": "1", "genop.dev/task-key": mine("pin") });
    expect(finalizers).toEqual(["team.example/keep", "genop.dev/settle"]);
    await office.change("pin", { metadata: { finalizers: [] } });
  });

  test("an object that somebody changed after it was looked at is not pinned", async () => {
    const task = await office.create("race");
    await office.change("race", { spec: { suspend: true } });
    await eventually(
      () => office.cached("race"),
      ({ spec }) => spec.suspend,
    );
    expect(await office.tasks.pin(task, mine("race"), signal())).toBe(false);
    expect((await office.live("race")).metadata.finalizers).toBeUndefined();

    expect(await office.tasks.pin(await office.cached("race"), mine("race"), signal())).toBe(true);
    await office.change("race", { metadata: { finalizers: null } });
  });

  test("a change that the cache has not heard of is seen by the API server, and then by the next look", async () => {
    const task = await office.create("deaf");
    const deaf = office.deaf("deaf");
    await office.change("deaf", { spec: { suspend: true } });
    expect(await deaf.pin(task, mine("deaf"), signal())).toBe(false);
    expect((await office.live("deaf")).metadata.annotations).toBeUndefined();
    expect(deaf.get(office.keyOf("deaf"))).toMatchObject({ spec: { suspend: true } });
  });

  test("of two who pin at once, one wins", async () => {
    const task = await office.create("two");
    const names = ["one", "two"];
    const won = await Promise.all(names.map((name) => office.deaf("two").pin(task, mine(name), signal())));
    expect(won.filter(Boolean)).toHaveLength(1);
    const winner = names[won.indexOf(true)];
    expect((await office.live("two")).metadata.annotations?.["genop.dev/task-key"]).toBe(office.keyOf(String(winner)));
    await office.change("two", { metadata: { finalizers: null } });
  });

  test("an object that is gone is not pinned", async () => {
    const task = await office.create("gone");
    const deaf = office.deaf("gone");
    await office.remove("gone");
    expect(await deaf.pin(task, mine("gone"), signal())).toBe(false);
  });
});
