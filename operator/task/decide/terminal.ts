// The task has ended, and its money is settled: only the object is left.
import type { Action } from "../action.ts";
import { after } from "../deadline.ts";
import type { Observation } from "../observation.ts";

/** Lets a deleted object go, and removes one whose time to live has passed. */
export function decideTerminal(seen: Observation, endedAt: Date): Action {
  const { deletedAt, finalizer, spec } = seen.task;
  if (deletedAt) return finalizer ? { type: "let-go" } : { type: "rest" };
  if (spec.ttlSecondsAfterFinished === undefined) return { type: "rest" };
  const leftMs = after(endedAt, spec.ttlSecondsAfterFinished * 1000) - seen.now.getTime();
  return leftMs > 0 ? { type: "wait", ms: leftMs } : { type: "remove" };
}
