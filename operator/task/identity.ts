// Whether this object may stand for the wish that its key names. Copies are refused, restored objects are not.
import type { TaskEnd } from "./facts.ts";
import type { Observation } from "./observation.ts";
import { REASONS } from "./reasons.ts";
import type { Reason } from "./reasons.ts";
import { effectiveKey } from "./task.ts";

/** Why the object is refused for what it is. It is shown in its status, and the record of its key is left alone. */
export function identityProblem(seen: Observation): TaskEnd | undefined {
  const { record, task } = seen;
  if (effectiveKey(task) === undefined) return refused("ForeignKey");
  if (record === undefined || record.uid === task.uid) return undefined;
  if (seen.ownerExists) return refused("DuplicateKey", `${REASONS.DuplicateKey}: ${record.namespace}/${record.name}`);
  return record.specHash === task.specHash ? undefined : refused("KeyReused");
}

/**
 * Status never permits anything, but it may forbid: it shows an attempt that Postgres does not know, or one
 * further along than Postgres has it. Then the database was restored or swapped, and a submit could pay twice.
 */
export function statusForbids(seen: Observation): boolean {
  const { attempt, task } = seen;
  const reported = task.reported.attempt ?? 0;
  if (reported === 0 || declaredNotCreated(seen, reported)) return false;
  const known = attempt?.number ?? 0;
  if (reported > known) return true;
  return reported === known && attempt?.state === "intended" && wentOn(seen);
}

function declaredNotCreated(seen: Observation, attempt: number): boolean {
  const { resolution } = seen.task.spec;
  return resolution?.decision === "NotCreated" && resolution.attempt >= attempt;
}

function wentOn(seen: Observation): boolean {
  const { phase, providerJobID } = seen.task.reported;
  return providerJobID !== undefined || (phase !== undefined && phase !== "Pending" && phase !== "NeedsReview");
}

function refused(reason: Reason, message: string = REASONS[reason]): TaskEnd {
  return { phase: "Rejected", reason, message };
}
