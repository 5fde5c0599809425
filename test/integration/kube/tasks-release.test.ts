import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Task } from "../../../operator/task/task.ts";
import { LIMIT_MS, eventually, signal } from "./fixture.ts";
import { makeOffice, type Office } from "./office.ts";

let office: Office;
beforeAll(async () => {
  office = await makeOffice();
}, LIMIT_MS);
afterAll(() => office.cluster.close(), LIMIT_MS);

describe("letting go", () => {
  const held = (name: string, finalizers: readonly string[]): Promise<Task> =>
    office.create(name, { metadata: { finalizers } });

  test("our finalizer goes, and those of others stay", async () => {
    const task = await held("shared", ["team.example/one", "genop.dev/settle", "team.example/two"]);
    await office.tasks.letGo(task, signal());
    expect((await office.live("shared")).metadata.finalizers).toEqual(["team.example/one", "team.example/two"]);
    await office.tasks.letGo(task, signal());
    await office.change("shared", { metadata: { finalizers: null } });
  });

  test("a list that somebody changed meanwhile is looked at again", async () => {
    const task = await held("changed", ["genop.dev/settle"]);
    const deaf = office.deaf("changed");
    const finalizers = ["team.example/late", "genop.dev/settle"];
    await office.change("changed", { metadata: { finalizers } });
    await deaf.letGo(task, signal());
    expect((await office.live("changed")).metadata.finalizers).toEqual(["team.example/late"]);
    await office.change("changed", { metadata: { finalizers: null } });
  });

  test("a deleted object goes when it is let go, and one that is gone already is no fault", async () => {
    await held("deleted", ["genop.dev/settle"]);
    await office.remove("deleted");
    const task = (await eventually(
      () => office.tasks.get(office.keyOf("deleted")),
      (read) => read !== undefined && "spec" in read && read.deletedAt !== undefined,
    )) as Task;
    const deaf = office.deaf("deleted");
    await office.tasks.letGo(task, signal());
    await expect(office.live("deleted")).rejects.toThrow(/gone/);
    await expect(deaf.letGo(task, signal())).resolves.toBeUndefined();
  });
});

describe("removing", () => {
  test("the object is deleted, and one that is gone already is no fault", async () => {
    const task = await office.create("ttl");
    await office.tasks.remove(task, signal());
    await expect(office.live("ttl")).rejects.toThrow(/gone/);
    await expect(office.tasks.remove(task, signal())).resolves.toBeUndefined();
  });

  test("another object of the same name is left alone", async () => {
    const task = await office.create("reborn");
    await office.replace("reborn");
    await expect(office.tasks.remove(task, signal())).resolves.toBeUndefined();
    expect((await office.live("reborn")).metadata.uid).not.toBe(task.uid);
  });
});
