// One pass over one task: see everything, decide one thing, report, do it; and on from what that has written, until it waits.
import type { Action } from "../task/action.ts";
import { decide } from "../task/decide/decide.ts";
import type { Observation } from "../task/observation.ts";
import { phaseOf } from "../task/phase.ts";
import { REASONS } from "../task/reasons.ts";
import type { UnreadableTask } from "../task/task.ts";
import { act } from "./act.ts";
import { gather } from "./gather.ts";
import type { Known } from "./gather.ts";
import { AT_ONCE, isOnward, keyOf } from "./next.ts";
import type { Deps, Next, Onward } from "./ports.ts";
import { tell } from "./tell.ts";

/** Far more than any way without a wait has. What never comes to rest goes back to the queue, behind the others. */
const MAX_STEPS = 10;

/**
 * Answers when to look again. Throws what the ports throw. `isStopping`: whether no more work is to be begun; the pass then ends
 * with the mark that it has just written.
 */
export async function reconcile(
  deps: Deps,
  objectKey: string,
  signal: AbortSignal,
  isStopping: () => boolean = () => false,
): Promise<Next> {
  let known: Known | undefined;
  let waitMs: number | undefined;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const seen = await gather(deps, objectKey, known, signal);
    if (!seen) return "rest";
    if ("message" in seen) return reportUnreadable(deps, seen, signal);
    if (waitMs !== undefined) {
      await tell(deps, seen, signal);
      return { afterMs: waitMs };
    }
    const went = await advance(deps, seen, signal);
    if (!isOnward(went)) return went;
    if (isStopping()) return AT_ONCE;
    known = { key: keyOf(seen.task), facts: went.facts };
    waitMs = went.afterMs;
  }
  return AT_ONCE;
}

async function advance(deps: Deps, seen: Observation, signal: AbortSignal): Promise<Next | Onward> {
  const action = decide(seen);
  const phase = phaseOf(seen);
  deps.journal.decided(seen.task.objectKey, action.type, phase);

  if (action.type === "submit") return act(deps, seen, action, signal); // tells by itself, beside what it reads
  // The doubt about a submit is always told.
  if (!PASSING.has(action.type) || phase === "SubmitUnknown") {
    await tell(deps, seen, signal);
    return act(deps, seen, action, signal);
  }
  const went = await act(deps, seen, action, signal).catch(async (error: unknown) => {
    await tell(deps, seen, signal).catch(() => undefined); // it stays like this for a while, and the first fault counts
    throw error;
  });
  if (!isOnward(went)) await tell(deps, seen, signal);
  return went;
}

/** What such an action finds is over as soon as it is done: its status is told only when the task stays there after all. */
const PASSING: ReadonlySet<Action["type"]> = new Set([
  "pin",
  "adopt-record",
  "begin",
  "fetch",
  "recover",
  "end-attempt",
  "end-task",
  "park",
  "unpark",
]);

/** Nothing is known of what it asks for, so nothing is done for it but to say so. */
async function reportUnreadable(deps: Deps, task: UnreadableTask, signal: AbortSignal): Promise<Next> {
  const message = `${REASONS.TaskUnreadable}: ${task.message}`.slice(0, 1024);
  await deps.tasks.report(task, { phase: "Rejected", reason: "TaskUnreadable", message }, signal);
  return "rest";
}
