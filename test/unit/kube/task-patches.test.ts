import { describe, expect, test } from "@jest/globals";
import { cachedTask } from "../../../operator/kube/task-object.ts";
import { isAsSeen, pinPatch, statusWrite } from "../../../operator/kube/task-patches.ts";
import type { TaskKey } from "../../../operator/task/brand.ts";
import type { TaskStatus } from "../../../operator/task/resource.ts";
import type { Task } from "../../../operator/task/task.ts";
import { wireTask } from "./objects.ts";

const KEY = "studio/uid-1" as TaskKey;
const condition = (over: object = {}): NonNullable<TaskStatus["conditions"]>[number] => ({
  type: "Submitted",
  status: "True",
  reason: "Running",
  message: "",
  lastTransitionTime: "2026-11-30T12:00:00Z",
  ...over,
});

describe("pinPatch", () => {
  test("key and finalizer are one write, bound to the version that was looked at", () => {
    const operations = pinPatch(cachedTask(wireTask()), KEY);
    expect(operations[0]).toEqual({ op: "test", path: "/metadata/resourceVersion", value: "7" });
    expect(operations).toContainEqual({ op: "add", path: "/metadata/annotations", value: {} });
    expect(operations).toContainEqual({ op: "add", path: "/metadata/annotations/genop.dev~1task-key", value: KEY });
    expect(operations.at(-1)).toMatchObject({ path: "/metadata/finalizers", value: ["genop.dev/settle"] });
  });

  test("annotations that are there are not replaced, also when the cache does not keep them", () => {
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}" };
    const operations = pinPatch(cachedTask(wireTask({ metadata: { annotations } })), KEY);
    expect(operations.map(({ path }) => path)).not.toContain("/metadata/annotations");
  });

  test("finalizers of others are kept", () => {
    const operations = pinPatch(cachedTask(wireTask({ metadata: { finalizers: ["a.example/b"] } })), KEY);
    expect(operations.at(-1)).toMatchObject({ value: ["a.example/b", "genop.dev/settle"] });
  });
});

describe("isAsSeen", () => {
  const seen = cachedTask(wireTask()).read as Task;

  test.each([
    {
      when: "a status that was written",
      over: { metadata: { resourceVersion: "8" }, status: { phase: "Pending" } },
      same: true,
    },
    { when: "another object of the name", over: { metadata: { uid: "uid-2" } }, same: false },
    { when: "a changed spec", over: { metadata: { generation: 2 } }, same: false },
    { when: "a deletion", over: { metadata: { deletionTimestamp: "2026-11-30T13:00:00Z" } }, same: false },
    {
      when: "a key that somebody wrote",
      over: { metadata: { annotations: { "genop.dev/task-key": "x" } } },
      same: false,
    },
    { when: "a finalizer that is there", over: { metadata: { finalizers: ["genop.dev/settle"] } }, same: false },
    { when: "an object that can't be read now", over: { spec: { model: "" } }, same: false },
  ])("$when: $same", ({ over, same }) => {
    expect(isAsSeen(cachedTask(wireTask(over)).read, seen)).toBe(same);
  });
});

describe("statusWrite", () => {
  const at = (status: unknown, wanted: TaskStatus): ReturnType<typeof statusWrite> =>
    statusWrite(cachedTask(wireTask({ status })), wanted);

  test("the same status in another order is no write", () => {
    const conditions = [condition()];
    const status = { phase: "Polling", progress: 10, conditions };
    expect(at(status, { conditions: [condition()], progress: 10, phase: "Polling" })).toBeUndefined();
  });

  test("a fresh time of a condition that did not flip is no write", () => {
    const wanted = { conditions: [condition({ lastTransitionTime: "2026-11-30T15:00:00Z" })] };
    expect(at({ conditions: [condition()] }, wanted)).toBeUndefined();
  });

  test("a condition that flipped has its new time", () => {
    const flipped = condition({ status: "False", lastTransitionTime: "2026-11-30T15:00:00Z" });
    expect(at({ conditions: [condition()] }, { conditions: [flipped] })?.patch).toMatchObject({
      status: { conditions: [{ status: "False", lastTransitionTime: "2026-11-30T15:00:00Z" }] },
    });
  });

  test("only what differs travels, what is gone is removed, and the version is the one looked at", () => {
    const write = at({ phase: "Pending", queuePosition: 3, attempt: 1 }, { phase: "Polling", attempt: 1 });
    expect(write?.patch).toEqual({
      metadata: { resourceVersion: "7" },
      status: { phase: "Polling", queuePosition: null },
    });
  });

  test("what a foreign status holds is taken away", () => {
    expect(at({ phase: "Melting", verdict: 1 }, { phase: "Pending" })?.patch).toMatchObject({
      status: { phase: "Pending", verdict: null },
    });
  });
});
