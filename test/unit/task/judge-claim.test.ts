import { expect, test } from "@jest/globals";
import { judgeClaim } from "../../../operator/task/judge/claim.ts";
import type { ProviderJobId } from "../../../operator/task/brand.ts";
import type { Reason } from "../../../operator/task/reasons.ts";
import type { QueryOutcome } from "../../../operator/task/outcome.ts";
import { NOON, SECOND, record, seen, sent } from "../../builders/seen.ts";

const JOB = "job-7" as ProviderJobId;

test.each<{
  readonly when: string;
  readonly by: "person" | "webhook";
  readonly parked: Reason | undefined;
  readonly ref: string | undefined;
  readonly then: string;
}>([
  { when: "no reference is shown", by: "person", parked: "SubmitUnresolved", ref: undefined, then: "accepted" },
  { when: "it shows ours", by: "webhook", parked: undefined, ref: sent().id, then: "accepted" },
  { when: "it shows another", by: "person", parked: "SubmitUnresolved", ref: "other", then: "park" },
  { when: "a webhook names another", by: "webhook", parked: "RecordMissing", ref: "other", then: "claim" },
  {
    when: "it shows one that a restored database has forgotten",
    by: "person",
    parked: "RecordMissing",
    ref: "forgotten",
    then: "accepted",
  },
])("a job that a $by names, when $when: $then", ({ by, parked, ref, then }) => {
  const observation = seen({
    attempt: sent(),
    record: record(parked ? { parked: { reason: parked, message: "", at: NOON } } : {}),
  });
  const outcome = {
    outcome: "job",
    state: "running",
    progress: 1,
    outputs: [],
    cost: undefined,
    failure: undefined,
    ref,
  };
  const claimed = { attempt: sent(), claim: { jobId: JOB, by, looks: 0 } };
  expect(judgeClaim(observation, claimed, outcome as never, 0)).toMatchObject({ type: then });
});

const RANDOM = 0.5;
const RUNNING: QueryOutcome = {
  outcome: "job",
  state: "running",
  ...{ progress: undefined, outputs: [], cost: undefined, failure: undefined },
};
const NO_SUCH_JOB: QueryOutcome = { outcome: "missing", documented: true };
const ANOTHERS = "the provider shows another reference for it than this attempt's";
const unanswered = (retryAfterMs?: number): QueryOutcome => ({ outcome: "unanswered", code: "reset", retryAfterMs });

test("a job that the provider confirms is adopted, and asked for a second later", () => {
  const claimed = { attempt: sent(), claim: { jobId: JOB, by: "webhook", looks: 0 } } as const;
  expect(judgeClaim(seen(), claimed, RUNNING, RANDOM)).toEqual({ type: "accepted", jobId: JOB, pollAfterMs: SECOND });
});

test.each([
  { by: "webhook", looks: 0, outcome: NO_SUCH_JOB, then: { refused: false, nextAfterMs: SECOND } },
  { by: "webhook", looks: 1, outcome: NO_SUCH_JOB, then: { refused: false, nextAfterMs: 2 * SECOND } },
  { by: "webhook", looks: 2, outcome: NO_SUCH_JOB, then: { refused: true, nextAfterMs: 0 } },
  { by: "webhook", looks: 9, outcome: unanswered(), then: { refused: false, nextAfterMs: 60 * SECOND } },
  { by: "person", looks: 0, outcome: unanswered(90 * SECOND), then: { refused: false, nextAfterMs: 90 * SECOND } },
] as const)("a claim of a $by at look $looks that is $outcome.outcome: refused is $then.refused", (row) => {
  const claim = { jobId: JOB, by: row.by, looks: row.looks };
  expect(judgeClaim(seen(), { attempt: sent(), claim }, row.outcome, RANDOM)).toEqual({
    ...{ type: "claim", claim },
    ...row.then,
  });
});

test.each<{
  readonly parked: Reason | undefined;
  readonly reason: Reason;
  readonly outcome: QueryOutcome;
  readonly why: string;
}>([
  { parked: undefined, reason: "SubmitUnresolved", outcome: NO_SUCH_JOB, why: "the provider knows no such job" },
  { parked: "RecordMissing", reason: "RecordMissing", outcome: NO_SUCH_JOB, why: "the provider knows no such job" },
  {
    parked: "SubmitUnresolved",
    reason: "SubmitUnresolved",
    outcome: { ...RUNNING, ref: "other" },
    why: ANOTHERS,
  },
  { parked: undefined, reason: "SubmitUnresolved", outcome: { ...RUNNING, ref: "other" }, why: ANOTHERS },
])("a person whose claim is not confirmed is told so, and what else can be decided: $why", (row) => {
  const claimed = { attempt: sent(), claim: { jobId: JOB, by: "person", looks: 0 } } as const;
  const parked = row.parked && { reason: row.parked, message: "m", at: NOON };
  expect(judgeClaim(seen({ record: record({ parked }) }), claimed, row.outcome, RANDOM)).toEqual({
    type: "park",
    parked: {
      reason: row.reason,
      message: `cannot bind job "${JOB}" to attempt 1: ${row.why}; correct spec.resolution.jobID, or decide NotCreated or WriteOff`,
    },
  });
});
