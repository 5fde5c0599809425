// A job that the provider itself says has failed: what it costs, and whether another may be paid for.
import { describe, expect, test } from "@jest/globals";
import { micro } from "../../../operator/task/credits.ts";
import { judgeQuery } from "../../../operator/task/judge/query.ts";
import type { Mark } from "../../../operator/task/mark.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import type { QueryOutcome } from "../../../operator/task/outcome.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import { NOON, POLICY, SECOND, accepted, after, seen, task } from "../../builders/seen.ts";

type Job = Extract<QueryOutcome, { readonly outcome: "job" }>;

const FAILED: Job = {
  ...{ outcome: "job", state: "failed", progress: undefined, outputs: [], cost: undefined, failure: undefined },
};

function judge(job: Partial<Job>, overrides: Partial<Observation> = {}): Mark {
  const attempt = accepted();
  return judgeQuery(seen({ attempt, ...overrides }), attempt, { ...FAILED, ...job }, 0.5);
}

describe("a failed job", () => {
  const end = (charge: bigint, message: string): Mark => ({
    type: "end",
    ending: {
      ...{ reason: "JobFailed", charge: micro(charge), retryAfterMs: undefined },
      task: { phase: "Failed", reason: "JobFailed", message },
    },
    assets: [],
  });
  test("gives its credits back when nothing was billed, and is told with the provider's word", () => {
    expect(judge({ failure: "oom" })).toEqual(end(0n, `${REASONS.JobFailed} (oom)`));
  });
  test("is told without a word where the provider has none", () => {
    expect(judge({})).toEqual(end(0n, REASONS.JobFailed));
  });
  test("that was billed is settled", () => {
    expect(judge({ cost: micro(9n) })).toEqual(end(9n, REASONS.JobFailed));
  });
});

describe("another attempt is paid for after a proved failure", () => {
  const TWO = { retryPolicy: { maxAttempts: 2 } };
  const EAGER = { ...POLICY, slaClasses: { eager: { maxAttempts: 3 } } };
  const goesOn = (overrides: Partial<Observation>): boolean => {
    const mark = judge({}, { now: after(NOON, SECOND), ...overrides });
    return mark.type === "end" && mark.ending.task === undefined;
  };
  test.each<{ readonly when: string; readonly paid?: number; readonly of: Observation["task"]; readonly is: boolean }>([
    { when: "the retry policy allows it", of: task({ wish: TWO }), is: true },
    { when: "the retry policy allows no more", paid: 2, of: task({ wish: TWO }), is: false },
    { when: "the task was cancelled", of: task({ wish: { cancelRequested: true, ...TWO } }), is: false },
    { when: "the task was deleted", of: task({ wish: TWO, deletedAt: NOON }), is: false },
    { when: "the deadline has passed", of: task({ wish: { activeDeadlineSeconds: 1, ...TWO } }), is: false },
    { when: "its class allows it", paid: 2, of: task({ wish: { slaClass: "eager" } }), is: true },
    { when: "its class allows no more", paid: 3, of: task({ wish: { slaClass: "eager" } }), is: false },
    { when: "its class is gone and the task allows it", of: task({ wish: { slaClass: "gone", ...TWO } }), is: true },
  ])("when $when: $is", ({ is, of, paid = 1 }) => {
    expect(goesOn({ paidAttempts: paid, policy: EAGER, task: of })).toBe(is);
  });
  test("when its class says nothing of it and the task allows it", () => {
    expect(goesOn({ task: task({ wish: { slaClass: "interactive", ...TWO } }) })).toBe(true);
  });
});
