// How the attempt of an object ends that went without us.
import { describe, expect, test } from "@jest/globals";
import type { LiveAttempt } from "../../../operator/task/action.ts";
import type { EndReason } from "../../../operator/task/attempt.ts";
import { endOfVanished, missedSince } from "../../../operator/task/vanished.ts";
import { NOON, SECOND, accepted, after, ended, intended, ready, seen, sent, unknown } from "../../builders/seen.ts";

const TASK = {
  ...{ phase: "Cancelled", reason: "Deleted" },
  message: "the object was deleted without its finalizer: what was held is resolved",
};

describe("the attempt of an object that vanished", () => {
  test.each<{
    readonly attempt: LiveAttempt;
    readonly seconds?: number;
    readonly reason: EndReason;
    readonly charge: bigint;
  }>([
    { attempt: intended(), reason: "NotCreated", charge: 0n },
    { attempt: unknown(), reason: "WrittenOff", charge: 0n },
    { attempt: sent(), seconds: 40, reason: "WrittenOff", charge: 0n },
    { attempt: accepted(), reason: "Orphaned", charge: 100_000n },
    { attempt: ready(), reason: "Orphaned", charge: 60_000n },
    { attempt: ready({ cost: undefined }), reason: "Orphaned", charge: 100_000n },
  ])("that is $attempt.state ends as $reason, charged $charge", ({ attempt, charge, reason, seconds = 0 }) => {
    expect(endOfVanished(seen({ attempt, now: after(NOON, seconds * SECOND) }))).toEqual({
      attempt,
      ending: { reason, charge, retryAfterMs: undefined, task: TASK },
    });
  });

  test.each([
    { what: "no attempt", attempt: undefined },
    { what: "an attempt that has ended", attempt: ended() },
    { what: "a submit that may be under way", attempt: sent() },
  ])("is left alone where there is $what", ({ attempt }) => {
    expect(endOfVanished(seen({ attempt, now: after(NOON, 39 * SECOND) }))).toBeUndefined();
  });
});

test("who is missed is missed since it was first, and who came back is forgotten", () => {
  const first = missedSince(new Map(), ["a", "b"], 5);
  expect([...first]).toEqual([
    ["a", 5],
    ["b", 5],
  ]);
  expect([...missedSince(first, ["b", "c"], 9)]).toEqual([
    ["b", 5],
    ["c", 9],
  ]);
});
