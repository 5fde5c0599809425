// What the answer to a submit proves, and so what is written down.
import type { Ending } from "../action.ts";
import type { AttemptIn } from "../attempt.ts";
import { ZERO } from "../credits.ts";
import type { TaskEnd } from "../facts.ts";
import type { Mark } from "../mark.ts";
import type { Observation } from "../observation.ts";
import type { SubmitOutcome } from "../outcome.ts";
import { REASONS } from "../reasons.ts";
import { firstPollMs, lockedOutMs, retryMs, searchMs } from "../schedule.ts";
import { unreachable } from "../unreachable.ts";

/** However patient the deadline: attempts of one task that may prove not to have been created. */
export const MAX_FREE_ATTEMPTS = 100;

export function judgeSubmit(
  seen: Observation,
  attempt: AttemptIn<"intended" | "sent">,
  outcome: SubmitOutcome,
  random: number,
): Mark {
  switch (outcome.outcome) {
    case "accepted":
      return { type: "accepted", jobId: outcome.jobId, pollAfterMs: firstPollMs(random) };
    case "ambiguous":
      return { type: "ambiguous", code: outcome.code, searchAfterMs: searchMs(0, undefined, random) };
    case "reused":
      // Not of this submit, which was the only one: somebody between us repeats requests.
      return { type: "ambiguous", code: "key-reused", searchAfterMs: searchMs(0, undefined, random) };
    case "not-sent":
      return notCreated(seen, retryMs(seen.freeAttempts, undefined, random));
    case "throttled":
      return notCreated(seen, retryMs(seen.freeAttempts, outcome.retryAfterMs, random));
    case "locked-out":
      return notCreated(seen, lockedOutMs(seen.freeAttempts, random));
    case "refused":
      return ended({
        reason: "Refused",
        charge: ZERO,
        retryAfterMs: undefined,
        task: refusal(outcome.code, outcome.content),
      });
    default:
      return unreachable(outcome);
  }
}

/** Proved that no job exists: a new attempt can't pay twice. Its number is bounded all the same. */
export function notCreated(seen: Observation, retryAfterMs: number | undefined): Mark {
  return ended(endOfNotCreated(seen, retryAfterMs));
}

/** The same as an end, for who knows it without an answer. */
export function endOfNotCreated(seen: Observation, retryAfterMs: number | undefined): Ending {
  const last = seen.freeAttempts + 1 >= MAX_FREE_ATTEMPTS;
  const task: TaskEnd | undefined = last
    ? { phase: "Failed", reason: "NeverCreated", message: REASONS.NeverCreated }
    : undefined;
  return { reason: "NotCreated", charge: ZERO, retryAfterMs, task };
}

function ended(ending: Ending): Mark {
  return { type: "end", ending, assets: [] };
}

function refusal(code: string, content: boolean): TaskEnd {
  const reason = content ? "ContentRefused" : "JobRefused";
  return { phase: "Failed", reason, message: `${REASONS[reason]} (${code})` };
}
