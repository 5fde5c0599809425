// Shows in the status what is known of a task. It is a view: nothing is decided by whether it was written.
import { statusForbids } from "../task/identity.ts";
import type { Observation } from "../task/observation.ts";
import { statusOf } from "../task/status.ts";
import type { Deps } from "./ports.ts";

/** A status that shows more than the books know is evidence: it stays as it is until the task is parked for it. */
export async function tell(deps: Deps, seen: Observation, signal: AbortSignal): Promise<void> {
  const isEvidence = statusForbids(seen) && !seen.record?.parked && !seen.record?.ended;
  if (!isEvidence) await deps.tasks.report(seen.task, statusOf(seen), signal);
}
