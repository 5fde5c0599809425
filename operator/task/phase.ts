// The phase is a view: computed from the record, never stored, never decided upon.
import type { Attempt } from "./attempt.ts";
import { identityProblem } from "./identity.ts";
import type { Observation } from "./observation.ts";
import type { PHASES } from "./resource.ts";
import { unreachable } from "./unreachable.ts";

export type Phase = (typeof PHASES)[number];

export function phaseOf(seen: Observation): Phase {
  if (identityProblem(seen)) return "Rejected";
  if (seen.record?.ended) return seen.record.ended.phase;
  if (seen.record?.parked) return "NeedsReview";
  return phaseOfAttempt(seen.attempt, seen.now);
}

/**
 * `SubmitUnknown` is no error. It is what a row marked `sent` *is* once its reply is missing; no code enters it.
 */
function phaseOfAttempt(attempt: Attempt | undefined, now: Date): Phase {
  switch (attempt?.state) {
    case undefined:
    case "intended":
    case "ended":
      return "Pending";
    case "sent":
      return attempt.ambiguity === undefined && now < attempt.deadline ? "Submitting" : "SubmitUnknown";
    case "accepted":
      return "Polling";
    case "ready":
      return "Fetching";
    default:
      return unreachable(attempt);
  }
}

const FINAL: ReadonlySet<Phase> = new Set(["Succeeded", "Failed", "Cancelled", "Rejected"]);

/** Whether a phase never changes again. NeedsReview is not final: a person may still decide. */
export function isFinal(phase: Phase): boolean {
  return FINAL.has(phase);
}
