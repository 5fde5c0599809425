// A job runs at the provider. It costs money until it ends, whatever we wish; so it is watched to its end.
import type { Action } from "../action.ts";
import type { AttemptIn } from "../attempt.ts";
import type { TaskKey } from "../brand.ts";
import { chargeOf } from "../charge.ts";
import { deadlinePassed, deletionGracePassed, jobOverdue, jobStalled } from "../deadline.ts";
import type { Observation } from "../observation.ts";
import { settingsOf } from "../provider.ts";
import type { ProviderSettings } from "../provider.ts";
import { REASONS } from "../reasons.ts";
import { RECHECK_MS } from "../schedule.ts";

/** Polls, asks to cancel, parks a job that never ends, or lets it go with its object. */
export function decidePolling(seen: Observation, attempt: AttemptIn<"accepted">, key: TaskKey): Action {
  if (orphaned(seen)) return orphan(attempt);
  const settings = settingsOf(seen.provider);
  if (!settings) return { type: "wait", ms: RECHECK_MS };
  if (attempt.cancelAskedAt === undefined && cancelWanted(seen, attempt) && cancellable(settings, attempt)) {
    return { type: "ask-cancel", attempt, settings };
  }
  if (jobStalled(seen, attempt)) {
    const message = `${REASONS.JobStalled}: look at the provider's console, then set spec.resolution to WriteOff, or wait`;
    return { type: "park", key, parked: { reason: "JobStalled", message } };
  }
  return pollAction(seen, attempt, settings);
}

/** Queries now, or waits for the next query. */
export function pollAction(seen: Observation, attempt: AttemptIn<"accepted">, settings: ProviderSettings): Action {
  const waitMs = attempt.nextPollAt.getTime() - seen.now.getTime();
  return waitMs > 0 ? { type: "wait", ms: waitMs } : { type: "poll", attempt, settings };
}

function orphaned(seen: Observation): boolean {
  if (!seen.task.deletedAt) return false;
  return seen.task.spec.deletionPolicy === "Orphan" || deletionGracePassed(seen);
}

/** Let go while it runs: what it was expected to cost is charged, since it will be billed and nobody will look again. */
function orphan(attempt: AttemptIn<"accepted">): Action {
  const task = {
    phase: "Cancelled",
    reason: "Deleted",
    message: "the object was deleted; its job was let go and charged as estimated",
  } as const;
  const charge = chargeOf(attempt, "Orphaned", undefined);
  return { type: "end-attempt", attempt, ending: { reason: "Orphaned", charge, retryAfterMs: undefined, task } };
}

function cancelWanted(seen: Observation, attempt: AttemptIn<"accepted">): boolean {
  const { deletedAt, spec } = seen.task;
  return spec.cancelRequested || deletedAt !== undefined || deadlinePassed(seen) || jobOverdue(seen, attempt);
}

/** A destructive cancel deletes a finished job: it is sent only to one that a query has just found alive. */
function cancellable(settings: ProviderSettings, attempt: AttemptIn<"accepted">): boolean {
  const { cancel } = settings.capabilities;
  if (cancel === "None") return false;
  return cancel !== "Destructive" || (attempt.polls > 0 && attempt.emptySince === undefined);
}
