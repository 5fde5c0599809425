// What the provider's own answer makes of a claim. Whoever made it, the job must exist, and must not be another attempt's.
import type { AttemptIn } from "../attempt.ts";
import type { Claim } from "../claim.ts";
import type { Parked } from "../facts.ts";
import type { Mark } from "../mark.ts";
import type { Observation } from "../observation.ts";
import type { QueryOutcome } from "../outcome.ts";
import { firstPollMs, searchMs } from "../schedule.ts";
import { unreachable } from "../unreachable.ts";

/** A job may be shown a moment later than a webhook names it. */
const LOOKS = 3;

export interface Claimed {
  readonly attempt: AttemptIn<"sent">;
  readonly claim: Claim;
}

/** How often a person's claim is tried again. */
export const RETRIED_CLAIM_MS = 60_000;

export function judgeClaim(seen: Observation, claimed: Claimed, outcome: QueryOutcome, random: number): Mark {
  const { claim } = claimed;
  switch (outcome.outcome) {
    case "job":
      return mayBeOurs(seen, claimed, outcome.ref)
        ? { type: "accepted", jobId: claim.jobId, pollAfterMs: firstPollMs(random) }
        : unfounded(seen, claimed, "the provider shows another reference for it than this attempt's");
    case "missing":
      return claim.by === "webhook" && claim.looks + 1 < LOOKS
        ? again(claimed, undefined, random)
        : unfounded(seen, claimed, "the provider knows no such job");
    case "unanswered":
      return again(claimed, outcome.retryAfterMs, random);
    default:
      return unreachable(outcome);
  }
}

/**
 * The reference that the provider shows is the attempt's id. A missing record has lost it: the recovered attempt has an id of
 * its own, and the person who looked knows more than the books.
 */
function mayBeOurs(seen: Observation, { attempt, claim }: Claimed, ref: string | undefined): boolean {
  if (ref === undefined || ref === attempt.id) return true;
  return claim.by === "person" && seen.record?.parked?.reason === "RecordMissing";
}

/** A job that the books have for another attempt. */
export function unfounded(seen: Observation, { attempt, claim }: Claimed, why: string): Mark {
  if (claim.by === "webhook") return { type: "claim", claim, refused: true, nextAfterMs: 0 };
  const message = `cannot bind job "${claim.jobId}" to attempt ${attempt.number}: ${why}; correct spec.resolution.jobID, or decide NotCreated or WriteOff`;
  const reason: Parked["reason"] = seen.record?.parked?.reason ?? "SubmitUnresolved";
  return { type: "park", parked: { reason, message } };
}

function again({ claim }: Claimed, hintMs: number | undefined, random: number): Mark {
  return { type: "claim", claim, refused: false, nextAfterMs: searchMs(claim.looks, hintMs, random) };
}
