// The policy: one pure function of everything seen. Same observation, same action. Split by phase beside this file.
import type { Action } from "../action.ts";
import { identityProblem, isOfUnknownOrigin, statusForbids } from "../identity.ts";
import type { Observation } from "../observation.ts";
import { isFinal } from "../phase.ts";
import { REASONS } from "../reasons.ts";
import { rejectionOf } from "../rejection.ts";
import { effectiveKey } from "../task.ts";
import type { TaskKey } from "../brand.ts";
import { unreachable } from "../unreachable.ts";
import { decideBegin } from "./begin.ts";
import { decideFetch } from "./fetch.ts";
import { decideParked } from "./parked.ts";
import { decidePolling } from "./polling.ts";
import { decideSubmit } from "./submit.ts";
import { decideTerminal } from "./terminal.ts";
import { decideUnknown } from "./unknown.ts";

/** The one thing to do now. Who the object is comes first, then what is over, then what is known of the attempt. */
export function decide(seen: Observation): Action {
  const key = effectiveKey(seen.task);
  // The record of the key is another object's: nothing of it is touched.
  if (key === undefined || identityProblem(seen)) return leave(seen);
  return (
    adopt(seen) ?? over(seen) ?? reject(seen, key) ?? prepare(seen, key) ?? review(seen, key) ?? proceed(seen, key)
  );
}

function adopt(seen: Observation): Action | undefined {
  return seen.record && seen.record.uid !== seen.task.uid ? { type: "adopt-record" } : undefined;
}

function over(seen: Observation): Action | undefined {
  return seen.record?.ended ? decideTerminal(seen, seen.record.ended.at) : undefined;
}

/** Only a task that was never tried can be Rejected. */
function reject(seen: Observation, key: TaskKey): Action | undefined {
  if (seen.attempt || seen.record?.parked || seen.task.deletedAt || statusForbids(seen)) return undefined;
  const end = rejectionOf(seen);
  return end && { type: "end-task", key, end };
}

/** Key and finalizer stand on the object before any side effect. */
function prepare(seen: Observation, key: TaskKey): Action | undefined {
  const { deletedAt, finalizer, pinnedKey } = seen.task;
  if (deletedAt) return undefined;
  return pinnedKey === undefined || !finalizer ? { type: "pin", key } : undefined;
}

/** It ended before the database was restored or swapped: no person has to decide, and what its status says stays. */
function isOverWithoutRecord({ attempt, task }: Observation): boolean {
  const isLive = attempt !== undefined && attempt.state !== "ended";
  return !isLive && task.reported.phase !== undefined && isFinal(task.reported.phase);
}

function leave({ task }: Observation): Action {
  return task.deletedAt && task.finalizer ? { type: "let-go" } : { type: "rest" };
}

function review(seen: Observation, key: TaskKey): Action | undefined {
  if (seen.record?.parked) return decideParked(seen, key, seen.record.parked);
  if (!statusForbids(seen)) return undefined;
  if (isOverWithoutRecord(seen)) return leave(seen);
  return { type: "park", key, parked: { reason: "RecordMissing", message: whatIsMissing(seen) } };
}

function whatIsMissing(seen: Observation): string {
  const isCopy = isOfUnknownOrigin(seen) && (seen.task.reported.attempt ?? 0) === 0;
  return isCopy
    ? "its task-key annotation names a wish that the database does not know: the object was restored or copied, or the database was; find out whether it was generated, then set spec.resolution with attempt 0 (NotCreated or WriteOff)"
    : REASONS.RecordMissing;
}

function proceed(seen: Observation, key: TaskKey): Action {
  const { attempt } = seen;
  if (attempt === undefined) return decideBegin(seen, key);
  switch (attempt.state) {
    case "intended":
      return decideSubmit(seen, attempt);
    case "sent":
      return decideUnknown(seen, attempt, key);
    case "accepted":
      return decidePolling(seen, attempt, key);
    case "ready":
      return decideFetch(seen, attempt);
    case "ended":
      return decideBegin(seen, key);
    default:
      return unreachable(attempt);
  }
}
