import { describe, expect, test } from "@jest/globals";
import { MAX_FREE_ATTEMPTS, judgeSubmit } from "../../../operator/task/judge/submit.ts";
import { ZERO } from "../../../operator/task/credits.ts";
import type { Mark } from "../../../operator/task/mark.ts";
import type { SubmitOutcome } from "../../../operator/task/outcome.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import { JOB, MINUTE, SECOND, seen, sent } from "../../builders/seen.ts";

const RANDOM = 0.5;

type Ending = Extract<Mark, { readonly type: "end" }>["ending"];

/** The attempt ends at no charge; what a row does not name is not there. */
const ends = (ending: Partial<Ending> & Pick<Ending, "reason">): Mark => ({
  type: "end",
  ending: { charge: ZERO, retryAfterMs: undefined, task: undefined, ...ending },
  assets: [],
});

const NOT_SENT: SubmitOutcome = { outcome: "not-sent", code: "refused" };
const SLOW_DOWN: SubmitOutcome = { outcome: "throttled", code: "status-429", retryAfterMs: undefined };
const LOCKED_OUT: SubmitOutcome = { outcome: "locked-out", code: "status-401" };

describe("what the answer to a submit proves", () => {
  test.each<{
    readonly when: string;
    readonly outcome: SubmitOutcome;
    readonly then: Mark;
    readonly freeAttempts?: number;
  }>([
    {
      when: "an id is a job, which is asked for a second later",
      outcome: { outcome: "accepted", jobId: JOB },
      then: { type: "accepted", jobId: JOB, pollAfterMs: SECOND },
    },
    {
      when: "anything unclear is no failure, and is looked for a second later",
      outcome: { outcome: "ambiguous", code: "status-502" },
      then: { type: "ambiguous", code: "status-502", searchAfterMs: SECOND },
    },
    {
      when: "a key that was used is of a request that somebody on the way repeated: the job is looked for, not believed",
      outcome: { outcome: "reused", jobId: JOB },
      then: { type: "ambiguous", code: "key-reused", searchAfterMs: SECOND },
    },
    {
      when: "what never left is tried again, and costs nothing",
      outcome: NOT_SENT,
      then: ends({ reason: "NotCreated", retryAfterMs: 550 }),
    },
    {
      when: "Retry-After is a floor",
      outcome: { ...SLOW_DOWN, retryAfterMs: 90_000 },
      then: ends({ reason: "NotCreated", retryAfterMs: 90_000 }),
    },
    {
      when: "a wrong credential holds the task instead of failing it",
      outcome: LOCKED_OUT,
      then: ends({ reason: "NotCreated", retryAfterMs: 30 * SECOND }),
    },
    {
      when: "a refusal for good fails the task at no charge, and says by which code",
      outcome: { outcome: "refused", code: "status-422", content: false },
      then: ends({
        reason: "Refused",
        task: { phase: "Failed", reason: "JobRefused", message: `${REASONS.JobRefused} (status-422)` },
      }),
    },
    {
      when: "refused content is named as such",
      outcome: { outcome: "refused", code: "status-400", content: true },
      then: ends({
        reason: "Refused",
        task: { phase: "Failed", reason: "ContentRefused", message: `${REASONS.ContentRefused} (status-400)` },
      }),
    },
    {
      when: "the last but one of the attempts that may come to nothing is followed by another",
      outcome: NOT_SENT,
      freeAttempts: MAX_FREE_ATTEMPTS - 2,
      then: ends({ reason: "NotCreated", retryAfterMs: 33 * SECOND }),
    },
    {
      when: "attempts that are never created are bounded",
      outcome: NOT_SENT,
      freeAttempts: MAX_FREE_ATTEMPTS - 1,
      then: ends({
        reason: "NotCreated",
        retryAfterMs: 33 * SECOND,
        task: { phase: "Failed", reason: "NeverCreated", message: REASONS.NeverCreated },
      }),
    },
  ])("$when", ({ freeAttempts = 0, outcome, then }) => {
    expect(judgeSubmit(seen({ freeAttempts }), sent(), outcome, RANDOM)).toEqual(then);
  });

  test.each([
    { outcome: NOT_SENT, waits: [550, 1100, 2200, 4400, 33 * SECOND] },
    { outcome: SLOW_DOWN, waits: [550, 1100, 2200, 4400, 33 * SECOND] },
    { outcome: LOCKED_OUT, waits: [30 * SECOND, MINUTE, 2 * MINUTE, 4 * MINUTE, 15 * MINUTE] },
  ])("the waits after attempts that are $outcome.outcome in a row grow, up to a limit", ({ outcome, waits }) => {
    const told = [0, 1, 2, 3, 50].map((freeAttempts) => judgeSubmit(seen({ freeAttempts }), sent(), outcome, RANDOM));
    expect(told).toEqual(waits.map((retryAfterMs) => ends({ reason: "NotCreated", retryAfterMs })));
  });
});
