// An intent on disk, its credits held, nothing sent: the last moment at which turning back is free.
import type { Action } from "../action.ts";
import type { AttemptIn } from "../attempt.ts";
import { ZERO } from "../credits.ts";
import { untilDeadline } from "../deadline.ts";
import type { Observation } from "../observation.ts";
import { RECHECK_MS } from "../schedule.ts";
import { turnBack } from "./turn-back.ts";

/** Turns back for nothing, waits, or submits. */
export function decideSubmit(seen: Observation, attempt: AttemptIn<"intended">): Action {
  const task = turnBack(seen, "cancelled before it was submitted; its credits are back");
  if (task) {
    return {
      type: "end-attempt",
      attempt,
      ending: { reason: "NotCreated", charge: ZERO, retryAfterMs: undefined, task },
    };
  }
  if (seen.task.spec.suspend) return untilDeadline(seen, { type: "rest" });
  if (seen.provider.state !== "ready" || seen.inputProblem !== undefined) return { type: "wait", ms: RECHECK_MS };
  return { type: "submit", attempt, settings: seen.provider.settings };
}
