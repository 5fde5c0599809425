import { describe, expect, test } from "@jest/globals";
import { cachedTask, isPinOnly } from "../../../operator/kube/task-object.ts";
import { FINALIZER, TASK_KEY_ANNOTATION } from "../../../operator/task/resource.ts";
import { wireTask } from "./objects.ts";

describe("the pin of the own key", () => {
  const before = wireTask();
  const pinned = (key: string, more: object = {}): ReturnType<typeof cachedTask> =>
    cachedTask({
      ...before,
      metadata: {
        ...before.metadata,
        annotations: { [TASK_KEY_ANNOTATION]: key },
        finalizers: [FINALIZER],
        ...more,
      },
    });

  test.each([
    { what: "the own key and the finalizer", next: pinned("studio/uid-1"), isOnly: true },
    { what: "another key", next: pinned("studio/uid-0"), isOnly: false },
    { what: "the key of another namespace", next: pinned("other/uid-1"), isOnly: false },
    { what: "no finalizer", next: pinned("studio/uid-1", { finalizers: [] }), isOnly: false },
    { what: "an edit with it", next: pinned("studio/uid-1", { generation: 2 }), isOnly: false },
    {
      what: "a deletion with it",
      next: pinned("studio/uid-1", { deletionTimestamp: "2026-06-01T12:00:00Z" }),
      isOnly: false,
    },
  ])("$what: $isOnly", ({ isOnly, next }) => {
    expect(isPinOnly(next, cachedTask(before))).toBe(isOnly);
  });

  test("a key that was pinned before, a new object and one that is gone are none", () => {
    const next = pinned("studio/uid-1");
    expect([isPinOnly(next, next), isPinOnly(next, undefined), isPinOnly(undefined, next)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
