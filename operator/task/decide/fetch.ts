// The provider is done, and its outputs wait: paid for, and soon gone. A cancel that comes now comes too late.
import type { Action } from "../action.ts";
import type { AttemptIn } from "../attempt.ts";
import { chargeOf } from "../charge.ts";
import type { Observation } from "../observation.ts";
import { settingsOf } from "../provider.ts";
import { RECHECK_MS } from "../schedule.ts";

/** Fetches when it is time; a deleted object needs no outputs, and its job is settled. */
export function decideFetch(seen: Observation, attempt: AttemptIn<"ready">): Action {
  if (seen.task.deletedAt) {
    const task = {
      phase: "Cancelled",
      reason: "Deleted",
      message: "the object was deleted after its job was done: the job is settled",
    } as const;
    const charge = chargeOf(attempt, "Orphaned", attempt.cost);
    return { type: "end-attempt", attempt, ending: { reason: "Orphaned", charge, retryAfterMs: undefined, task } };
  }
  const settings = settingsOf(seen.provider);
  if (!settings) return { type: "wait", ms: RECHECK_MS };
  const waitMs = attempt.nextFetchAt.getTime() - seen.now.getTime();
  return waitMs > 0 ? { type: "wait", ms: waitMs } : { type: "fetch", attempt, settings };
}
