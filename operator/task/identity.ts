// Whether this object may stand for the wish that its key names. Copies are refused, restored objects are not.
import type { TaskEnd } from "./facts.ts";
import type { Observation } from "./observation.ts";
import { REASONS } from "./reasons.ts";
import type { Reason } from "./reasons.ts";
import { effectiveKey, taskKeyOf } from "./task.ts";

/** Why the object is refused for what it is. It is shown in its status, and the record of its key is left alone. */
export function identityProblem(seen: Observation): TaskEnd | undefined {
  const { record, task } = seen;
  if (effectiveKey(task) === undefined) return refused("ForeignKey");
  if (record === undefined || record.uid === task.uid) return undefined;
  if (seen.ownerExists) return refused("DuplicateKey", `${REASONS.DuplicateKey}: ${record.namespace}/${record.name}`);
  return record.specHash === task.specHash ? undefined : refused("KeyReused");
}

/**
 * The object never permits anything, but it may forbid: its status shows an attempt that Postgres does not know, or one
 * further along than Postgres has it; or it carries the key of another object of which Postgres knows nothing. Then the
 * database was restored or swapped, or the object was, and a submit could pay twice.
 */
export function statusForbids(seen: Observation): boolean {
  const { attempt, task } = seen;
  const reported = task.reported.attempt ?? 0;
  if (declaredNotCreated(seen, reported)) return false;
  if (reported === 0) return isOfUnknownOrigin(seen);
  const known = attempt?.number ?? 0;
  if (reported > known) return true;
  return reported === known && attempt?.state === "intended" && wentOn(seen);
}

/** Restored or copied from where its wish was known: what became of it there can't be read here. A foreign key is refused instead. */
export function isOfUnknownOrigin({ record, task }: Observation): boolean {
  const key = effectiveKey(task);
  return record === undefined && key !== undefined && key !== taskKeyOf(task);
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
