import { expect, test } from "@jest/globals";
import type { TaskEnd } from "../../../operator/task/facts.ts";
import type { QueryOutcome } from "../../../operator/task/outcome.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import type { Reason } from "../../../operator/task/reasons.ts";
import { judgeQuery } from "../../../operator/task/judge/query.ts";
import { NOON, SECOND, accepted, after, seen, task } from "../../builders/seen.ts";

const CANCELLED: QueryOutcome = {
  outcome: "job",
  state: "cancelled",
  progress: undefined,
  outputs: [],
  cost: undefined,
  failure: undefined,
};

const FORMER = "its job was cancelled because the object that it belonged to was deleted";

test.each<{
  readonly why: string;
  readonly of?: Parameters<typeof task>[0];
  readonly asked?: Date;
  readonly seconds?: number;
  readonly then: TaskEnd;
}>([
  { why: "its object is deleted", of: { deletedAt: NOON }, then: end("Cancelled", "Deleted") },
  {
    why: "a person asked",
    of: { wish: { cancelRequested: true } },
    asked: NOON,
    then: end("Cancelled", "CancelledByUser"),
  },
  {
    why: "the deadline passed",
    of: { wish: { activeDeadlineSeconds: 30 } },
    asked: NOON,
    then: end("Failed", "DeadlineExceeded"),
  },
  { why: "it ran too long", asked: NOON, seconds: 30 * 60, then: end("Failed", "DeadlineExceeded") },
  { why: "the object that it had then was deleted", asked: NOON, then: end("Cancelled", "Deleted", FORMER) },
  { why: "the provider did it by itself", then: end("Failed", "CancelledByProvider") },
])("a job that is cancelled because $why ends as $then.reason", ({ asked, of, seconds = 30, then }) => {
  const attempt = accepted({ cancelAskedAt: asked });
  const observation = seen({ attempt, task: task(of), now: after(NOON, seconds * SECOND) });
  expect(judgeQuery(observation, attempt, CANCELLED, 0)).toMatchObject({
    type: "end",
    ending: { reason: "Cancelled", charge: 0n, task: then },
  });
});

function end(phase: TaskEnd["phase"], reason: Reason, message: string = REASONS[reason]): TaskEnd {
  return { phase, reason, message };
}
