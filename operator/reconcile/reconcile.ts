// One pass over one task: see everything, report it, decide one thing, do it.
import { decide } from "../task/decide/decide.ts";
import { statusForbids } from "../task/identity.ts";
import type { Observation } from "../task/observation.ts";
import { phaseOf } from "../task/phase.ts";
import { REASONS } from "../task/reasons.ts";
import { statusOf } from "../task/status.ts";
import type { UnreadableTask } from "../task/task.ts";
import { act } from "./act.ts";
import { gather } from "./gather.ts";
import type { Deps, Next } from "./ports.ts";

/** Answers when to look again. Throws what the ports throw. */
export async function reconcile(deps: Deps, objectKey: string, signal: AbortSignal): Promise<Next> {
  const seen = await gather(deps, objectKey, signal);
  if (!seen) return "rest";
  if ("message" in seen) return reportUnreadable(deps, seen, signal);

  // A status that shows more than the books know is evidence: it stays as it is until the task is parked for it.
  if (!isEvidence(seen)) await deps.tasks.report(seen.task, statusOf(seen), signal);

  const action = decide(seen);
  deps.journal.decided(objectKey, action.type, phaseOf(seen));
  return act(deps, seen, action, signal);
}

function isEvidence(seen: Observation): boolean {
  return statusForbids(seen) && !seen.record?.parked && !seen.record?.ended;
}

/** Nothing is known of what it asks for, so nothing is done for it but to say so. */
async function reportUnreadable(deps: Deps, task: UnreadableTask, signal: AbortSignal): Promise<Next> {
  const message = `${REASONS.TaskUnreadable}: ${task.message}`.slice(0, 1024);
  await deps.tasks.report(task, { phase: "Rejected", reason: "TaskUnreadable", message }, signal);
  return "rest";
}
