// A task that waits for a person. Meanwhile it is still looked at, rarely: what turns up late is worth knowing.
import type { Action } from "../action.ts";
import type { TaskKey } from "../brand.ts";
import { after, deletionGracePassed } from "../deadline.ts";
import type { Parked } from "../facts.ts";
import type { Observation } from "../observation.ts";
import { settingsOf } from "../provider.ts";
import { pollAction } from "./polling.ts";
import { endParked, liveAttempt, resolutionOf } from "./resolution.ts";
import { confirmAction, searchAction, searchMethodOf } from "./unknown.ts";

/** Carries out a person's decision, ends what was deleted, or looks on. */
export function decideParked(seen: Observation, key: TaskKey, parked: Parked): Action {
  if (deletionGracePassed(seen)) return letGo(seen, key);
  if (outlived(seen, parked)) return { type: "unpark", key };
  const verdict = resolutionOf(seen, key, parked);
  return verdict.outcome === "valid" ? verdict.action : untilGrace(seen, keepLooking(seen));
}

/** No event tells that a deleted object has waited long enough: nothing may rest beyond that. */
function untilGrace(seen: Observation, action: Action): Action {
  const { deletedAt } = seen.task;
  if (!deletedAt || (action.type !== "rest" && action.type !== "wait")) return action;
  const leftMs = after(deletedAt, seen.policy.deletionGraceMs) - seen.now.getTime();
  return { type: "wait", ms: action.type === "wait" ? Math.min(action.ms, leftMs) : leftMs };
}

/** What it was parked for has passed by itself: the job was found, or ended. */
function outlived(seen: Observation, { reason }: Parked): boolean {
  const { attempt, task } = seen;
  if (reason === "SubmitUnresolved") return attempt?.state !== "sent";
  if (reason === "JobStalled") return attempt?.state !== "accepted";
  const isKnown = attempt !== undefined && attempt.number >= (task.reported.attempt ?? 0);
  return reason === "RecordMissing" && isKnown && (attempt.state === "accepted" || attempt.state === "ready");
}

function keepLooking(seen: Observation): Action {
  const attempt = liveAttempt(seen);
  const settings = settingsOf(seen.provider);
  if (!settings || !attempt) return { type: "rest" };
  if (attempt.state === "accepted") return pollAction(seen, attempt, settings);
  if (attempt.state !== "sent") return { type: "rest" };
  const method = searchMethodOf(settings, attempt, seen);
  const claimed = confirmAction(seen, attempt, settings, method);
  if (claimed) return claimed;
  return method ? searchAction(attempt, method, settings, seen.now.getTime()) : { type: "rest" };
}

function letGo(seen: Observation, key: TaskKey): Action {
  const message = "the object was deleted while it waited for a person: what was held is resolved";
  return endParked(key, liveAttempt(seen), { phase: "Cancelled", reason: "Deleted", message });
}
