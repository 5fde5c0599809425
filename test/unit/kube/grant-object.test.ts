import { describe, expect, test } from "@jest/globals";
import { GRANT_KEY_ANNOTATION, grantUid, readGrant, type WireGrant } from "../../../operator/kube/grant-object.ts";

const grant = (
  over: { spec?: unknown; name?: string; namespace?: string; uid?: string; key?: string } = {},
): WireGrant => ({
  metadata: {
    name: over.name ?? "october",
    namespace: over.namespace ?? "studio",
    uid: over.uid ?? "uid-1",
    ...(over.key !== undefined && { annotations: { [GRANT_KEY_ANNOTATION]: over.key } }),
  },
  spec: over.spec ?? { credits: "100", reason: "october" },
});

describe("reading a grant", () => {
  test("credits become micro-credits", () => {
    expect(readGrant(grant({ spec: { credits: "0.5", reason: "r" } }))).toEqual({
      outcome: "read",
      amount: 500_000n,
      reason: "r",
    });
  });

  test("a refund names the attempt that it is of, and who decided", () => {
    const refund = { taskKey: "studio/uid-1", attempt: 1, by: "anna" };
    expect(readGrant(grant({ spec: { credits: "0.5", reason: "r", refund } }))).toMatchObject({ refund });
  });

  test.each([
    { when: "nothing", spec: { credits: "0", reason: "r" }, says: /more than zero|grant nothing/ },
    { when: "a number", spec: { credits: 5, reason: "r" }, says: /spec\.credits/ },
    { when: "no reason", spec: { credits: "5" }, says: /spec\.reason/ },
    {
      when: "a refund without an author",
      spec: { credits: "5", reason: "r", refund: { taskKey: "studio/uid-1", attempt: 1 } },
      says: /spec\.refund\.by/,
    },
    { when: "no spec", spec: null, says: /spec/ },
  ])("$when is refused by field", ({ spec, says }) => {
    expect(readGrant({ ...grant(), spec })).toEqual({ outcome: "unreadable", message: expect.stringMatching(says) });
  });
});

describe("the key of a grant", () => {
  test.each([
    { when: "an object without one", over: {}, uid: undefined },
    { when: "the object it was written on", over: { key: "studio/october/uid-1" }, uid: "uid-1" },
    { when: "the object restored under a new UID", over: { key: "studio/october/uid-1", uid: "uid-2" }, uid: "uid-1" },
    { when: "a copy under another name", over: { key: "studio/october/uid-1", name: "november" }, uid: undefined },
    { when: "a copy in another namespace", over: { key: "studio/october/uid-1", namespace: "lab" }, uid: undefined },
    { when: "a key that is none", over: { key: "studio/october/" }, uid: undefined },
  ])("$when: $uid", ({ over, uid }) => {
    expect(grantUid(grant(over))).toBe(uid);
  });
});
