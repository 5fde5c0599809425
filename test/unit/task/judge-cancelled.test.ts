import { expect, test } from "@jest/globals";
import type { QueryOutcome } from "../../../operator/task/outcome.ts";
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

test.each([
  { why: "a person asked", wish: { cancelRequested: true }, asked: NOON, then: ["Cancelled", "CancelledByUser"] },
  { why: "the deadline passed", wish: { activeDeadlineSeconds: 1 }, asked: NOON, then: ["Failed", "DeadlineExceeded"] },
  { why: "the object that it had then was deleted", wish: {}, asked: NOON, then: ["Cancelled", "Deleted"] },
  { why: "the provider did it by itself", wish: {}, asked: undefined, then: ["Failed", "CancelledByProvider"] },
])("a job that is cancelled because $why ends as $then", ({ asked, then, wish }) => {
  const attempt = accepted({ cancelAskedAt: asked });
  const observation = seen({ attempt, task: task({ wish }), now: after(NOON, 30 * SECOND) });
  const mark = judgeQuery(observation, attempt, CANCELLED, 0);
  const [phase, reason] = then;
  expect(mark).toMatchObject({ type: "end", ending: { reason: "Cancelled", task: { phase, reason } } });
});
