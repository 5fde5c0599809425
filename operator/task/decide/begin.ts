// No live attempt: begin one, wait, or end the task. Every earlier attempt has ended in a way that allows another.
import type { Action, ActionOf } from "../action.ts";
import type { TaskKey } from "../brand.ts";
import { untilDeadline } from "../deadline.ts";
import type { Observation } from "../observation.ts";
import { estimateOf } from "../provider.ts";
import { overCeiling } from "../rejection.ts";
import { RECHECK_MS } from "../schedule.ts";
import { turnBack } from "./turn-back.ts";

/** A cancel, a deletion and the deadline end the task here for nothing; what is missing is waited for. */
export function decideBegin(seen: Observation, key: TaskKey): Action {
  const end = turnBack(seen, "cancelled before anything was submitted");
  if (end) return { type: "end-task", key, end };
  const waiting = wait(seen);
  return waiting ? untilDeadline(seen, waiting) : begin(seen, key);
}

function wait(seen: Observation): ActionOf<"rest" | "wait"> | undefined {
  if (seen.task.spec.suspend) return { type: "rest" };
  if (seen.provider.state !== "ready" || seen.inputProblem !== undefined) return { type: "wait", ms: RECHECK_MS };
  const retryAt = seen.attempt?.state === "ended" ? seen.attempt.retryAt : undefined;
  return retryAt && retryAt > seen.now ? { type: "wait", ms: retryAt.getTime() - seen.now.getTime() } : undefined;
}

function begin(seen: Observation, key: TaskKey): Action {
  if (seen.provider.state !== "ready") return { type: "wait", ms: RECHECK_MS };
  const { settings } = seen.provider;
  const estimate = estimateOf(settings, seen.task.spec);
  // The model left the provider's list between two attempts: it may come back.
  if (estimate.outcome === "unknown-model") return { type: "wait", ms: RECHECK_MS };
  if (estimate.outcome === "unpriceable") {
    return { type: "end-task", key, end: { phase: "Failed", reason: "NotSupported", message: estimate.message } };
  }
  const tooDear = overCeiling(seen.task.spec, estimate.amount);
  if (tooDear !== undefined) {
    return { type: "end-task", key, end: { phase: "Failed", reason: "OverCeiling", message: tooDear } };
  }
  return { type: "begin", key, settings, estimate: estimate.amount };
}
