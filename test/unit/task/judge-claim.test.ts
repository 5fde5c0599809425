import { expect, test } from "@jest/globals";
import { judgeClaim } from "../../../operator/task/judge/claim.ts";
import type { ProviderJobId } from "../../../operator/task/brand.ts";
import type { Reason } from "../../../operator/task/reasons.ts";
import { NOON, record, seen, sent } from "../../builders/seen.ts";

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
