// Patches of status and finalizers: minimal, and right.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { addFinalizerPatch, removeFinalizerPatch } from "../../../operator/runtime/finalizers.ts";
import type { KubeObject } from "../../../operator/runtime/objects.ts";
import { mergeConditions, semanticallyEqual, statusPatch } from "../../../operator/runtime/status.ts";

describe("a status patch", () => {
  test.each([
    { when: "nothing changed", before: { a: 1, b: { c: [1] } }, after: { b: { c: [1] }, a: 1 }, then: undefined },
    { when: "an absent field became null", before: {}, after: { a: null, b: undefined }, then: undefined },
    { when: "there was no status", before: undefined, after: { phase: "Pending" }, then: { phase: "Pending" } },
    {
      when: "a field deep inside changed",
      before: { a: { b: 1, c: 2 } },
      after: { a: { b: 1, c: 3 } },
      then: { a: { c: 3 } },
    },
    {
      when: "a field is gone",
      before: { a: 1, b: { c: 1, d: 1 } },
      after: { b: { d: 1 } },
      then: { a: null, b: { c: null } },
    },
    { when: "a list changed", before: { a: [1, 2] }, after: { a: [2, 1] }, then: { a: [2, 1] } },
    {
      when: "a new object has holes",
      before: {},
      after: { a: { b: undefined, c: null, d: 1 } },
      then: { a: { d: 1 } },
    },
  ])("when $when", ({ before, after, then }) => {
    expect(statusPatch(before, after)).toEqual(then);
  });

  const name = fc.constantFrom("a", "b", "c");
  const { status } = fc.letrec<{ status: object; value: unknown }>((tie) => ({
    status: fc.dictionary(name, tie("value"), { maxKeys: 3 }),
    value: fc.oneof(
      { depthSize: "small" },
      fc.boolean(),
      fc.nat(3),
      fc.constant(null),
      fc.array(fc.nat(2), { maxLength: 2 }),
      tie("status"),
    ),
  }));

  test("turns any status into any other, as the API server applies it, and then there is nothing left to patch", () => {
    fc.assert(
      fc.property(status, status, (before, after) => {
        const patch = statusPatch(before, after);
        expect(patch === undefined).toBe(semanticallyEqual(before, after));
        const patched = patch ? mergePatch(before, patch) : before;
        expect(statusPatch(patched, after)).toBeUndefined();
      }),
    );
  });
});

// RFC 7396.
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const fields = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const result = new Map<string, unknown>(Object.entries(fields));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, mergePatch(result.get(key), value));
  }
  return Object.fromEntries(result);
}

test("a condition keeps its time while its status stays, and nothing else is kept", () => {
  const was = {
    type: "Ready",
    status: "True",
    reason: "R",
    message: "old",
    lastTransitionTime: "2030-01-01T00:00:00Z",
  } as const;
  const gone = { ...was, type: "Gone" };
  const now = new Date("2031-02-03T04:05:06.789Z");
  const next = { type: "Ready", status: "True", reason: "R", message: "new" } as const;
  expect(mergeConditions([was, gone], [next], now)).toEqual([{ ...was, message: "new" }]);
  expect(mergeConditions([was], [{ ...next, status: "False" }], now)[0]?.lastTransitionTime).toBe(
    "2031-02-03T04:05:06Z",
  );
});

describe("a finalizer patch", () => {
  const object = (finalizers?: string[]): KubeObject => ({
    metadata: { name: "n", uid: "u", ...(finalizers && { finalizers }) },
  });
  const test_ = (value: unknown): object => ({ op: "test", path: "/metadata/finalizers", value });
  const uid = { op: "test", path: "/metadata/uid", value: "u" };

  test.each([
    {
      when: "first, tests that there is no list",
      before: undefined,
      add: [uid, test_(null), { op: "add", path: "/metadata/finalizers", value: ["me"] }],
    },
    {
      when: "beside others, tests the whole list",
      before: ["x"],
      add: [uid, test_(["x"]), { op: "add", path: "/metadata/finalizers", value: ["x", "me"] }],
    },
    { when: "that is there, is none", before: ["me"], add: undefined },
  ])("that adds one $when", ({ before, add }) => {
    expect(addFinalizerPatch(object(before), "me")).toEqual(add);
  });

  test.each([
    { when: "beside others, keeps them", before: ["x", "me", "y"], rest: ["x", "y"] },
    { when: "twice there, removes both", before: ["me", "x", "me"], rest: ["x"] },
    { when: "that is not there, is none", before: ["x"], rest: undefined },
  ])("that removes one $when", ({ before, rest }) => {
    const remove = rest && [uid, test_(before), { op: "replace", path: "/metadata/finalizers", value: rest }];
    expect(removeFinalizerPatch(object(before), "me")).toEqual(remove);
  });
});
