// The view: what a task's status should say, computed from the observation alone. Written only where it differs.
import type { Attempt } from "./attempt.ts";
import { conditionsOf } from "./conditions.ts";
import { formatCredits } from "./credits.ts";
import { explain } from "./explain.ts";
import { identityProblem } from "./identity.ts";
import type { Observation } from "./observation.ts";
import { phaseOf } from "./phase.ts";
import type { Phase } from "./phase.ts";
import type { TaskStatus } from "./resource.ts";
import { effectiveKey } from "./task.ts";

/** Progress is told in steps, so that a job that counts every percent does not cost a hundred writes. */
const PROGRESS_STEP = 10;

export function statusOf(seen: Observation): TaskStatus {
  const phase = phaseOf(seen);
  const explanation = explain(seen, phase);
  const conditions = conditionsOf(seen, phase, explanation);
  const view = { observedGeneration: seen.task.generation, phase, ...explanation, conditions };
  // A refused copy is told so; the record of the key belongs to another object and is not shown on it.
  return identityProblem(seen) ? view : defined({ ...view, ...ofRecord(seen, phase), ...ofAttempt(seen, phase) });
}

type Part = { [Key in keyof TaskStatus]?: TaskStatus[Key] | undefined };

function ofRecord(seen: Observation, phase: Phase): Part {
  const { assets, record } = seen;
  return {
    taskKey: record && effectiveKey(seen.task),
    queuePosition: phase === "Pending" ? record?.waiting?.position : undefined,
    startTime: record?.registeredAt.toISOString(),
    completionTime: record?.ended?.at.toISOString(),
    credits: creditsOf(seen),
    assets: assets.length > 0 ? [...assets] : undefined,
  };
}

function ofAttempt(seen: Observation, phase: Phase): Part {
  if (seen.record?.parked?.reason === "RecordMissing") return evidenceOf(seen);
  const { attempt } = seen;
  return {
    attempt: attempt?.number,
    providerJobID: attempt && jobOf(attempt),
    submittedTime: attempt && "sentAt" in attempt ? attempt.sentAt?.toISOString() : undefined,
    progress: progressOf(seen, phase),
    nextActionTime: nextActionTime(seen, phase),
  };
}

/** What the status showed before the database was restored or swapped is all that the person who decides has to go by. */
function evidenceOf({ task }: Observation): Part {
  const { attempt, providerJobID, submittedTime } = task.reported;
  return { attempt, providerJobID, submittedTime };
}

function jobOf(attempt: Attempt): string | undefined {
  return "jobId" in attempt ? attempt.jobId : undefined;
}

function progressOf(seen: Observation, phase: Phase): number | undefined {
  if (phase === "Succeeded") return 100;
  const percent = seen.attempt?.state === "accepted" ? seen.attempt.progress : undefined;
  return percent === undefined ? undefined : Math.floor(percent / PROGRESS_STEP) * PROGRESS_STEP;
}

/** Only for waits that a person may want to know; every poll would be a write for nothing. */
function nextActionTime(seen: Observation, phase: Phase): string | undefined {
  const { attempt } = seen;
  if (phase === "Pending") return waitsUntil(seen)?.toISOString();
  if (phase === "SubmitUnknown" && attempt?.state === "sent") return attempt.search.nextAt?.toISOString();
  return undefined;
}

function waitsUntil({ attempt, record }: Observation): Date | undefined {
  return record?.waiting?.until ?? (attempt?.state === "ended" ? attempt.retryAt : undefined);
}

function creditsOf({ credits }: Observation): TaskStatus["credits"] {
  return {
    reserved: formatCredits(credits.reserved),
    settled: formatCredits(credits.settled),
    released: formatCredits(credits.released),
  };
}

/** Without the keys that have no value, as JSON would have it. */
function defined(status: Part): TaskStatus {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
}
