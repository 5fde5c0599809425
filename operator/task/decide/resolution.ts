// A person's decision on an attempt, against what is known of it. What contradicts that is refused with a sentence, never carried out.
import type { Action, LiveAttempt } from "../action.ts";
import type { ProviderJobId, TaskKey } from "../brand.ts";
import { chargeOf } from "../charge.ts";
import { ZERO } from "../credits.ts";
import { decisionOf, type Decision } from "../decision.ts";
import type { Parked, TaskEnd } from "../facts.ts";
import type { Observation } from "../observation.ts";
import { estimateOf, settingsOf } from "../provider.ts";
import type { ProviderSettings } from "../provider.ts";
import { REASONS } from "../reasons.ts";
import type { TaskSpec } from "../resource.ts";
import { unreachable } from "../unreachable.ts";

type Resolution = NonNullable<TaskSpec["resolution"]>;

export type Verdict =
  | { readonly outcome: "undecided" }
  | { readonly outcome: "refused"; readonly message: string }
  | { readonly outcome: "valid"; readonly action: Action };

const UNDECIDED: Verdict = { outcome: "undecided" };

/** What follows from spec.resolution for a parked task. A decision counts for the attempt that it names, and for no other. */
export function resolutionOf(seen: Observation, key: TaskKey, parked: Parked): Verdict {
  const { resolution } = seen.task.spec;
  if (!resolution) return UNDECIDED;
  const asked = attemptInQuestion(seen, parked);
  if (resolution.attempt !== asked) {
    return refused(`spec.resolution is about attempt ${resolution.attempt}, and attempt ${asked} is in question`);
  }
  const verdict = resolve(seen, key, parked, resolution);
  return verdict.outcome === "valid" ? valid(noted(verdict.action, decisionOf(resolution))) : verdict;
}

/** What carries a decision out writes it down. An attempt that the books get back does not: whether it was that job is confirmed after it. */
function noted(action: Action, decision: Decision): Action {
  switch (action.type) {
    case "end-attempt":
      return { ...action, ending: { ...action.ending, decision } };
    case "end-task":
    case "unpark":
    case "confirm":
      return { ...action, decision };
    default:
      return action;
  }
}

/** The attempt that the status shows: for a missing record that is one which the books do not know. */
export function attemptInQuestion(seen: Observation, parked: Parked): number {
  const known = seen.attempt?.number ?? 0;
  return parked.reason === "RecordMissing" ? Math.max(known, seen.task.reported.attempt ?? 0) : known;
}

function resolve(seen: Observation, key: TaskKey, parked: Parked, resolution: Resolution): Verdict {
  switch (resolution.decision) {
    case "BindJob":
      return bind(seen, key, parked, (resolution.jobID ?? "") as ProviderJobId);
    case "NotCreated":
      return notCreated(seen, key, parked);
    case "WriteOff":
      return valid(endParked(key, liveAttempt(seen), WRITTEN_OFF));
    default:
      return unreachable(resolution.decision);
  }
}

const WRITTEN_OFF: TaskEnd = { phase: "Failed", reason: "WrittenOff", message: REASONS.WrittenOff };

function bind(seen: Observation, key: TaskKey, parked: Parked, jobId: ProviderJobId): Verdict {
  const attempt = liveAttempt(seen);
  if (attempt && "jobId" in attempt) {
    if (attempt.jobId === jobId) return UNDECIDED;
    return refused(`cannot bind job "${jobId}": attempt ${attempt.number} stands for job "${attempt.jobId}" already`);
  }
  const settings = settingsOf(seen.provider);
  if (!settings) return refused(`cannot bind job "${jobId}": the provider does not exist, so nobody can confirm it`);
  if (attempt?.state === "sent" && attempt.number === attemptInQuestion(seen, parked)) {
    return valid({ type: "confirm", attempt, claim: { jobId, by: "person", looks: 0 }, settings });
  }
  return recover(seen, key, parked, settings);
}

/** The books do not know that anything was sent: first they are given the attempt that the status shows. */
function recover(seen: Observation, key: TaskKey, parked: Parked, settings: ProviderSettings): Verdict {
  const number = attemptInQuestion(seen, parked);
  if (number === 0) return refused("cannot bind a job: no attempt was made; decide NotCreated or WriteOff");
  const known = liveAttempt(seen);
  if (known && known.number < number) {
    return refused(
      `cannot bind a job to attempt ${number}: the books still have attempt ${known.number} open; decide NotCreated or WriteOff`,
    );
  }
  const estimate = estimateOf(settings, seen.task.spec);
  if (estimate.outcome !== "priced") return refused("cannot bind a job: the provider's spec has no price for it");
  return valid({ type: "recover", key, number, settings, estimate: estimate.amount });
}

function notCreated(seen: Observation, key: TaskKey, parked: Parked): Verdict {
  const attempt = liveAttempt(seen);
  const jobId = attempt && "jobId" in attempt ? attempt.jobId : shownJob(seen, parked);
  if (jobId !== undefined) {
    return refused(`cannot take it as not created: the provider accepted it as job "${jobId}"; BindJob or WriteOff`);
  }
  if (attempt?.state !== "sent") return valid({ type: "unpark", key });
  if (attempt.search.takenAt) {
    return refused("cannot take it as not created: the provider says that it took this submit; BindJob or WriteOff");
  }
  const ending = { reason: "NotCreated", charge: ZERO, retryAfterMs: undefined, task: undefined } as const;
  return valid({ type: "end-attempt", attempt, ending });
}

/** Of a missing record the status is the last witness. */
function shownJob({ attempt, task }: Observation, { reason }: Parked): string | undefined {
  const { attempt: shown = 0, providerJobID } = task.reported;
  return reason === "RecordMissing" && shown > (attempt?.number ?? 0) ? providerJobID : undefined;
}

/** A job that may exist is written off; one that does exist is charged as it was estimated. */
export function endParked(key: TaskKey, attempt: LiveAttempt | undefined, task: TaskEnd): Action {
  if (!attempt) return { type: "end-task", key, end: task };
  const reason = attempt.state === "accepted" || attempt.state === "ready" ? "Orphaned" : "WrittenOff";
  const charge = chargeOf(attempt, reason, undefined);
  return { type: "end-attempt", attempt, ending: { reason, charge, retryAfterMs: undefined, task } };
}

export function liveAttempt(seen: Observation): LiveAttempt | undefined {
  return seen.attempt && seen.attempt.state !== "ended" ? seen.attempt : undefined;
}

function refused(message: string): Verdict {
  return { outcome: "refused", message };
}

function valid(action: Action): Verdict {
  return { outcome: "valid", action };
}
