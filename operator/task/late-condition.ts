// What a task's status says of a job that turned up after its attempt was given up. A view: the task stays as it ended.
import type { LateJob } from "./facts.ts";
import { REASONS } from "./reasons.ts";
import type { Reason } from "./reasons.ts";

export const LATE_JOB = "LateJob";

export function explainLate({ attempt, jobId, kept, verdict }: LateJob): {
  readonly reason: Reason;
  readonly message: string;
} {
  const job = `job "${jobId}" of attempt ${attempt}`;
  return verdict === undefined
    ? { reason: "LateJobFound", message: `${REASONS.LateJobFound} (${job})` }
    : { reason: "LateJobOver", message: `${REASONS.LateJobOver} (${job}: ${verdict}, ${kept} outputs kept)` };
}
