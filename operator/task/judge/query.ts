// What one query of a running job proves. Errors of the query say nothing about the job; words we do not know are not an end.
import type { AttemptIn, EndReason } from "../attempt.ts";
import type { MicroCredits } from "../brand.ts";
import { chargeOf } from "../charge.ts";
import { after, deadlinePassed, jobOverdue } from "../deadline.ts";
import type { TaskEnd } from "../facts.ts";
import type { Doubt, Mark } from "../mark.ts";
import type { Observation } from "../observation.ts";
import type { QueryOutcome } from "../outcome.ts";
import { settingsOf } from "../provider.ts";
import { REASONS } from "../reasons.ts";
import type { Reason } from "../reasons.ts";
import { PARKED_LOOK_MS, pollMs } from "../schedule.ts";
import { unreachable } from "../unreachable.ts";

/** How long "completed" without outputs is doubted before it is believed. */
const DOUBT_MS = 30_000;

/** What it takes to believe "no such job". A status alone may be a gateway's: then nobody but time can tell. */
const LOST = {
  documented: { forMs: 30_000, answers: 2 },
  status: { forMs: 10 * 60_000, answers: 8 },
};

type JobSeen = Extract<QueryOutcome, { readonly outcome: "job" }>;

export function judgeQuery(
  seen: Observation,
  attempt: AttemptIn<"accepted">,
  outcome: QueryOutcome,
  random: number,
): Mark {
  switch (outcome.outcome) {
    case "unanswered":
      return again(seen, attempt, { hintMs: outcome.retryAfterMs, progress: attempt.progress, doubt: "kept" }, random);
    case "missing":
      return judgeMissing(seen, attempt, outcome.documented, random);
    case "job":
      return judgeJob(seen, attempt, outcome, random);
    default:
      return unreachable(outcome);
  }
}

/** Where a cancel ends a job for sure, or deletes it, one that is gone after it is no lost one: nobody but us has ended it. */
function judgeMissing(seen: Observation, attempt: AttemptIn<"accepted">, documented: boolean, random: number): Mark {
  const cancel = settingsOf(seen.provider)?.capabilities.cancel;
  const isOurs = attempt.cancelAskedAt !== undefined && (cancel === "Confirmed" || cancel === "Destructive");
  if (!isLost(seen, attempt, documented || isOurs))
    return again(seen, attempt, { progress: attempt.progress, doubt: "missing" }, random);
  return isOurs ? end(attempt, "Cancelled", undefined, cancelled(seen, attempt)) : lost(attempt);
}

function judgeJob(seen: Observation, attempt: AttemptIn<"accepted">, job: JobSeen, random: number): Mark {
  switch (job.state) {
    case "queued":
    case "running":
    case "unrecognised":
      return again(seen, attempt, { progress: job.progress ?? attempt.progress, doubt: "none" }, random);
    case "succeeded":
      if (job.outputs.length > 0) return { type: "ready", cost: job.cost };
      if (!doubted(seen, attempt)) return again(seen, attempt, { progress: job.progress, doubt: "empty" }, random);
      return end(attempt, "OutputsUnusable", job.cost, failed("OutputMissing"));
    case "failed":
      return jobFailed(seen, attempt, job);
    case "cancelled":
      return end(attempt, "Cancelled", job.cost, cancelled(seen, attempt));
    default:
      return unreachable(job.state);
  }
}

interface Again {
  readonly hintMs?: number | undefined;
  readonly progress: number | undefined;
  readonly doubt: Doubt;
}

function again(
  seen: Observation,
  attempt: AttemptIn<"accepted">,
  { hintMs, progress, doubt }: Again,
  random: number,
): Mark {
  const nextAfterMs = seen.record?.parked ? PARKED_LOOK_MS : pollMs(attempt.polls, hintMs, random);
  return { type: "poll", poll: { nextAfterMs, progress, doubt } };
}

function doubted(seen: Observation, attempt: AttemptIn<"accepted">): boolean {
  return attempt.emptySince !== undefined && seen.now.getTime() >= after(attempt.emptySince, DOUBT_MS);
}

function isLost(seen: Observation, { missing }: AttemptIn<"accepted">, documented: boolean): boolean {
  const needed = documented ? LOST.documented : LOST.status;
  if (!missing || missing.answers + 1 < needed.answers) return false;
  return seen.now.getTime() >= after(missing.since, needed.forMs);
}

/** A proved failure: the task's own retry policy says whether another paid attempt may follow. */
function jobFailed(seen: Observation, attempt: AttemptIn<"accepted">, job: JobSeen): Mark {
  const { cancelRequested, retryPolicy, slaClass } = seen.task.spec;
  const maxAttempts = (slaClass ? seen.policy.slaClasses[slaClass]?.maxAttempts : undefined) ?? retryPolicy.maxAttempts;
  const more = seen.paidAttempts < maxAttempts && !cancelRequested && !seen.task.deletedAt && !deadlinePassed(seen);
  return end(attempt, "JobFailed", job.cost, more ? undefined : failed("JobFailed", job.failure));
}

function lost(attempt: AttemptIn<"accepted">): Mark {
  return end(attempt, "JobLost", undefined, failed("JobLost"));
}

function end(
  attempt: AttemptIn<"accepted">,
  reason: EndReason,
  cost: MicroCredits | undefined,
  task: TaskEnd | undefined,
): Mark {
  return {
    type: "end",
    ending: { reason, charge: chargeOf(attempt, reason, cost), retryAfterMs: undefined, task },
    assets: [],
  };
}

function failed(reason: Reason, detail?: string): TaskEnd {
  return { phase: "Failed", reason, message: detail ? `${REASONS[reason]} (${detail})` : REASONS[reason] };
}

/** The wish was restored under another object while its job was being cancelled. */
const FORMER_OBJECT = "its job was cancelled because the object that it belonged to was deleted";

function cancelled(seen: Observation, attempt: AttemptIn<"accepted">): TaskEnd {
  if (seen.task.deletedAt) return { phase: "Cancelled", reason: "Deleted", message: REASONS.Deleted };
  if (seen.task.spec.cancelRequested)
    return { phase: "Cancelled", reason: "CancelledByUser", message: REASONS.CancelledByUser };
  if (!attempt.cancelAskedAt) return failed("CancelledByProvider");
  if (deadlinePassed(seen) || jobOverdue(seen, attempt)) return failed("DeadlineExceeded");
  return { phase: "Cancelled", reason: "Deleted", message: FORMER_OBJECT };
}
