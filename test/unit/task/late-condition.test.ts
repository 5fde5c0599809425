// What a task says of a job that turned up after its attempt was given up.
import { expect, test } from "@jest/globals";
import { statusOf } from "../../../operator/task/status.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import { JOB, seen, task } from "../../builders/seen.ts";

const late = (changes: Partial<Observation>): unknown =>
  statusOf(seen(changes)).conditions?.find(({ type }) => type === "LateJob");

test("nothing, of a task that has none", () => {
  expect(late({})).toBeUndefined();
});

test.each([
  { verdict: undefined, reason: "LateJobFound", says: `(job "${JOB}" of attempt 2)` },
  {
    verdict: "succeeded" as const,
    reason: "LateJobOver",
    says: `(job "${JOB}" of attempt 2: succeeded, 3 outputs kept)`,
  },
])("that it is there, and how it ended: $reason", ({ reason, says, verdict }) => {
  const condition = late({ late: { attempt: 2, jobId: JOB, verdict, kept: 3 } });
  expect(condition).toMatchObject({ status: "True", reason, message: expect.stringContaining(says) });
});

test("nothing on a copy that is refused: the job is another object's", () => {
  const copy = task({ pinnedKey: "elsewhere/uid-1" });
  expect(late({ task: copy, late: { attempt: 1, jobId: JOB, verdict: undefined, kept: 0 } })).toBeUndefined();
});
