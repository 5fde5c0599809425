// Why a task with nothing at the provider ends here: the one order of these reasons, before an attempt and before its submit.
import { deadlinePassed } from "../deadline.ts";
import type { TaskEnd } from "../facts.ts";
import type { Observation } from "../observation.ts";
import { REASONS } from "../reasons.ts";

/** `whenCancelled` is the sentence for a cancel. Undefined: nothing speaks against going on. */
export function turnBack(seen: Observation, whenCancelled: string): TaskEnd | undefined {
  if (seen.task.deletedAt) return { phase: "Cancelled", reason: "Deleted", message: REASONS.Deleted };
  if (seen.task.spec.cancelRequested) return { phase: "Cancelled", reason: "CancelledByUser", message: whenCancelled };
  if (deadlinePassed(seen)) return { phase: "Failed", reason: "DeadlineExceeded", message: REASONS.DeadlineExceeded };
  return undefined;
}
