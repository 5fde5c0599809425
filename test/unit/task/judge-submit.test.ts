import { describe, expect, test } from "@jest/globals";
import { MAX_FREE_ATTEMPTS, judgeSubmit } from "../../../operator/task/judge/submit.ts";
import { ZERO } from "../../../operator/task/credits.ts";
import type { Mark } from "../../../operator/task/mark.ts";
import type { SubmitOutcome } from "../../../operator/task/outcome.ts";
import { JOB, seen, sent } from "../../builders/seen.ts";

const RANDOM = 0.5;

describe("what the answer to a submit proves", () => {
  const rows: readonly {
    readonly when: string;
    readonly outcome: SubmitOutcome;
    readonly then: Readonly<Record<string, unknown>> & { readonly type: Mark["type"] };
    readonly freeAttempts?: number;
  }[] = [
    { when: "an id is a job", outcome: { outcome: "accepted", jobId: JOB }, then: { type: "accepted", jobId: JOB } },
    {
      when: "anything unclear is no failure",
      outcome: { outcome: "ambiguous", code: "status-502" },
      then: { type: "ambiguous", code: "status-502" },
    },
    {
      when: "what never left is tried again, and costs nothing",
      outcome: { outcome: "not-sent", code: "refused" },
      then: { type: "end", ending: expect.objectContaining({ reason: "NotCreated", charge: ZERO, task: undefined }) },
    },
    {
      when: "Retry-After is a floor",
      outcome: { outcome: "throttled", code: "status-429", retryAfterMs: 90_000 },
      then: { type: "end", ending: expect.objectContaining({ reason: "NotCreated", retryAfterMs: 90_000 }) },
    },
    {
      when: "a wrong credential holds the task instead of failing it",
      outcome: { outcome: "locked-out", code: "status-401" },
      then: {
        type: "end",
        ending: expect.objectContaining({ reason: "NotCreated", task: undefined, retryAfterMs: 30_000 }),
      },
    },
    {
      when: "a refusal for good fails the task at no charge",
      outcome: { outcome: "refused", code: "status-422", content: false },
      then: {
        type: "end",
        ending: expect.objectContaining({
          reason: "Refused",
          charge: ZERO,
          task: expect.objectContaining({ reason: "JobRefused" }),
        }),
      },
    },
    {
      when: "refused content is named as such",
      outcome: { outcome: "refused", code: "status-400", content: true },
      then: {
        type: "end",
        ending: expect.objectContaining({ task: expect.objectContaining({ reason: "ContentRefused" }) }),
      },
    },
    {
      when: "attempts that are never created are bounded",
      outcome: { outcome: "not-sent", code: "refused" },
      freeAttempts: MAX_FREE_ATTEMPTS - 1,
      then: {
        type: "end",
        ending: expect.objectContaining({ task: expect.objectContaining({ reason: "NeverCreated" }) }),
      },
    },
  ];
  test.each(rows)("$when", ({ freeAttempts = 0, outcome, then }) => {
    expect(judgeSubmit(seen({ freeAttempts }), sent(), outcome, RANDOM)).toMatchObject(then);
  });
});
