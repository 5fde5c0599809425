// The one reason and sentence that say where a task stands: for status, conditions and people.
import type { Attempt } from "./attempt.ts";
import { resolutionOf } from "./decide/resolution.ts";
import type { Parked } from "./facts.ts";
import { identityProblem } from "./identity.ts";
import type { Observation } from "./observation.ts";
import type { Phase } from "./phase.ts";
import { REASONS } from "./reasons.ts";
import type { Reason } from "./reasons.ts";
import { effectiveKey, taskKeyOf } from "./task.ts";
import { unreachable } from "./unreachable.ts";

export interface Explanation {
  readonly reason: Reason;
  readonly message: string;
}

/** What the record says of an end or a park comes first; else what `phase` means for this task now. */
export function explain(seen: Observation, phase: Phase): Explanation {
  const told = identityProblem(seen) ?? seen.record?.ended;
  if (told) return { reason: told.reason, message: told.message };
  if (seen.record?.parked) return explainParked(seen, seen.record.parked);
  switch (phase) {
    case "Submitting":
    case "SubmitUnknown":
      return because(phase);
    case "Polling":
      return explainPolling(seen.attempt);
    case "Fetching":
      return because("Fetching");
    default:
      return explainPending(seen);
  }
}

/** A decision that can't be carried out is answered here: nowhere else would its author look. */
function explainParked(seen: Observation, parked: Parked): Explanation {
  const verdict = resolutionOf(seen, effectiveKey(seen.task) ?? taskKeyOf(seen.task), parked);
  const refusal = verdict.outcome === "refused" ? ` (${verdict.message})` : "";
  return because(parked.reason, `${parked.message.slice(0, 1024 - refusal.length)}${refusal}`);
}

function explainPending(seen: Observation): Explanation {
  if (seen.task.spec.suspend) return because("Suspended");
  const obstacle = explainProvider(seen);
  if (obstacle) return obstacle;
  if (seen.inputProblem !== undefined) return because("InputUnavailable", seen.inputProblem);
  if (seen.record?.waiting) return because(seen.record.waiting.reason);
  if (seen.attempt?.state === "intended") return because("Held");
  return because(seen.attempt?.state === "ended" ? "RetryLater" : "Accepted");
}

function explainProvider({ provider, task }: Observation): Explanation | undefined {
  switch (provider.state) {
    case "absent":
      return because(
        "ProviderNotReady",
        `waiting for GenerationProvider "${task.spec.providerRef.name}": it does not exist`,
      );
    case "not-ready":
      return because("ProviderNotReady", `${REASONS.ProviderNotReady}: ${provider.message}`);
    case "not-allowed":
      return because("NamespaceNotAllowed");
    case "ready":
      return undefined;
    default:
      return unreachable(provider);
  }
}

const EMPTY = "the provider says completed and names no output yet: it is asked again before that is believed";

function explainPolling(attempt: Attempt | undefined): Explanation {
  if (attempt?.state !== "accepted") return because("Running");
  if (attempt.cancelAskedAt) return because("Cancelling");
  if (attempt.missing) return because("JobMissing");
  if (attempt.emptySince) return because("OutputMissing", EMPTY);
  return because(attempt.polls === 0 ? "Accepting" : "Running");
}

function because(reason: Reason, message: string = REASONS[reason]): Explanation {
  return { reason, message: message.slice(0, 1024) };
}
