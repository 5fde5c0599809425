// metav1 conditions, so that `kubectl wait`, kstatus and GitOps tools understand a task. lastTransitionTime moves
// only when a status flips: a fresh timestamp in every write would make the operator wake itself for ever.
import type { Attempt } from "./attempt.ts";
import type { Explanation } from "./explain.ts";
import type { Observation } from "./observation.ts";
import { LATE_JOB, explainLate } from "./late-condition.ts";
import { identityProblem } from "./identity.ts";
import { isFinal } from "./phase.ts";
import type { Phase } from "./phase.ts";
import type { Condition } from "./resource.ts";

type Truth = Condition["status"];

/** All conditions, in a fixed order. A copy that is refused has them too. */
export function conditionsOf(seen: Observation, phase: Phase, explanation: Explanation): Condition[] {
  const { attempt } = seen;
  const parked = phase === "NeedsReview";
  const truths: readonly (readonly [string, Truth])[] = [
    ["Held", truth(attempt !== undefined && attempt.state !== "ended")],
    ["Submitted", truth(attempt !== undefined && hasJob(attempt))],
    ["Succeeded", succeeded(phase)],
    ["NeedsReview", truth(parked)],
    // kstatus: Reconciling while it moves, Stalled when only a person can help.
    ["Reconciling", truth(!isFinal(phase) && !parked)],
    ["Stalled", truth(parked)],
  ];
  const ordinary = truths.map(([type, status]) => condition(seen, type, status, explanation));
  // Told of those alone that have one: a hundred thousand others need not say that they have none.
  return seen.late && !identityProblem(seen)
    ? [...ordinary, condition(seen, LATE_JOB, "True", explainLate(seen.late))]
    : ordinary;
}

function condition(seen: Observation, type: string, status: Truth, { reason, message }: Explanation): Condition {
  const before = seen.task.reported.conditions?.find((candidate) => candidate.type === type);
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : wholeSeconds(seen.now);
  return { type, status, observedGeneration: seen.task.generation, lastTransitionTime, reason, message };
}

function hasJob(attempt: Attempt): boolean {
  return "jobId" in attempt && attempt.jobId !== undefined;
}

function succeeded(phase: Phase): Truth {
  if (phase === "Succeeded") return "True";
  return isFinal(phase) ? "False" : "Unknown";
}

function truth(value: boolean): Truth {
  return value ? "True" : "False";
}

function wholeSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
