// A task that waits for a person. Meanwhile it is still looked at, rarely: what turns up late is worth knowing.
import type { Action, LiveAttempt } from "../action.ts";
import type { ProviderJobId, TaskKey } from "../brand.ts";
import { chargeOf } from "../charge.ts";
import { ZERO } from "../credits.ts";
import { after, deletionGracePassed } from "../deadline.ts";
import type { Parked, TaskEnd } from "../facts.ts";
import type { Observation } from "../observation.ts";
import { settingsOf } from "../provider.ts";
import { REASONS } from "../reasons.ts";
import type { TaskSpec } from "../resource.ts";
import { unreachable } from "../unreachable.ts";
import { pollAction } from "./polling.ts";
import { searchAction, searchMethodOf } from "./unknown.ts";

type Resolution = NonNullable<TaskSpec["resolution"]>;

/** Carries out a person's decision, ends what was deleted, or looks on. */
export function decideParked(seen: Observation, key: TaskKey, parked: Parked): Action {
  if (deletionGracePassed(seen)) return letGo(seen, key);
  return (
    decided(seen, key, parked) ??
    (outlived(seen, parked) ? { type: "unpark", key } : untilGrace(seen, keepLooking(seen)))
  );
}

/** No event tells that a deleted object has waited long enough: nothing may rest beyond that. */
function untilGrace(seen: Observation, action: Action): Action {
  const { deletedAt } = seen.task;
  if (!deletedAt || (action.type !== "rest" && action.type !== "wait")) return action;
  const leftMs = after(deletedAt, seen.policy.deletionGraceMs) - seen.now.getTime();
  return { type: "wait", ms: action.type === "wait" ? Math.min(action.ms, leftMs) : leftMs };
}

/** A decision counts for the attempt that it names, and for no later one. */
function decided(seen: Observation, key: TaskKey, parked: Parked): Action | undefined {
  const { resolution } = seen.task.spec;
  if (resolution?.attempt !== attemptInQuestion(seen, parked)) return undefined;
  return resolve(seen, key, resolution);
}

/** The attempt that the status shows: for a missing record that is one which the books do not know. */
function attemptInQuestion(seen: Observation, parked: Parked): number {
  const known = seen.attempt?.number ?? 0;
  return parked.reason === "RecordMissing" ? Math.max(known, seen.task.reported.attempt ?? 0) : known;
}

/** What a person decided, if it does not contradict what is known. */
function resolve(seen: Observation, key: TaskKey, resolution: Resolution): Action | undefined {
  const attempt = liveAttempt(seen);
  switch (resolution.decision) {
    case "BindJob":
      if (attempt?.state !== "sent" || resolution.jobID === undefined) return undefined;
      return { type: "bind", attempt, jobId: resolution.jobID as ProviderJobId };
    case "NotCreated":
      if (attempt === undefined || attempt.state === "intended") return { type: "unpark", key };
      if (attempt.state !== "sent") return undefined;
      return {
        type: "end-attempt",
        attempt,
        ending: { reason: "NotCreated", charge: ZERO, retryAfterMs: undefined, task: undefined },
      };
    case "WriteOff":
      return end(key, attempt, { phase: "Failed", reason: "WrittenOff", message: REASONS.WrittenOff });
    default:
      return unreachable(resolution.decision);
  }
}

/** What it was parked for has passed by itself: the job was found, or ended. */
function outlived(seen: Observation, parked: Parked): boolean {
  if (parked.reason === "SubmitUnresolved") return seen.attempt?.state !== "sent";
  return parked.reason === "JobStalled" && seen.attempt?.state !== "accepted";
}

function keepLooking(seen: Observation): Action {
  const attempt = liveAttempt(seen);
  const settings = settingsOf(seen.provider);
  if (!settings || !attempt) return { type: "rest" };
  if (attempt.state === "accepted") return pollAction(seen, attempt, settings);
  if (attempt.state !== "sent") return { type: "rest" };
  const method = searchMethodOf(settings, attempt, seen);
  return method ? searchAction(attempt, method, settings, seen.now.getTime()) : { type: "rest" };
}

function letGo(seen: Observation, key: TaskKey): Action {
  const message = "the object was deleted while it waited for a person: what was held is resolved";
  return end(key, liveAttempt(seen), { phase: "Cancelled", reason: "Deleted", message });
}

/** A job that may exist is written off; one that does exist is charged as it was estimated. */
function end(key: TaskKey, attempt: LiveAttempt | undefined, task: TaskEnd): Action {
  if (!attempt) return { type: "end-task", key, end: task };
  const reason = attempt.state === "accepted" || attempt.state === "ready" ? "Orphaned" : "WrittenOff";
  const charge = chargeOf(attempt, reason, undefined);
  return { type: "end-attempt", attempt, ending: { reason, charge, retryAfterMs: undefined, task } };
}

function liveAttempt(seen: Observation): LiveAttempt | undefined {
  return seen.attempt && seen.attempt.state !== "ended" ? seen.attempt : undefined;
}
