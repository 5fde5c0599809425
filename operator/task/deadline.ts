// The limits in time of one task, as instants of the database's clock.
import { settingsOf } from "./provider.ts";
import type { ActionOf } from "./action.ts";
import type { AttemptIn } from "./attempt.ts";
import type { Observation } from "./observation.ts";

/** How long a cancelled or overdue job is watched before a person is asked. */
const STALL_GRACE_MS = 5 * 60_000;

export function after(start: Date, ms: number): number {
  return start.getTime() + ms;
}

/** Whether spec.activeDeadlineSeconds, or its class's, has passed. */
export function deadlinePassed(seen: Observation): boolean {
  const leftMs = deadlineLeftMs(seen);
  return leftMs !== undefined && leftMs <= 0;
}

/** How long until that deadline; undefined when there is none. */
export function deadlineLeftMs(seen: Observation): number | undefined {
  const { activeDeadlineSeconds, slaClass } = seen.task.spec;
  const seconds =
    activeDeadlineSeconds ?? (slaClass ? seen.policy.slaClasses[slaClass]?.activeDeadlineSeconds : undefined);
  const start = seen.record?.registeredAt ?? seen.task.createdAt;
  return seconds === undefined ? undefined : after(start, seconds * 1000) - seen.now.getTime();
}

/** At most until the deadline: no event tells that it has come, and a task at rest would outlive it. */
export function untilDeadline(seen: Observation, action: ActionOf<"rest" | "wait">): ActionOf<"rest" | "wait"> {
  const leftMs = deadlineLeftMs(seen);
  if (leftMs === undefined) return action;
  return { type: "wait", ms: Math.max(0, action.type === "wait" ? Math.min(action.ms, leftMs) : leftMs) };
}

/** Whether the job has run longer than the provider's timeouts.jobSeconds. */
export function jobOverdue(seen: Observation, attempt: AttemptIn<"accepted">): boolean {
  const seconds = settingsOf(seen.provider)?.timeouts.jobSeconds;
  return seconds !== undefined && seen.now.getTime() >= after(attempt.acceptedAt, seconds * 1000);
}

/** Whether the job should have ended long ago: overdue, or asked to cancel, and still said to be running. */
export function jobStalled(seen: Observation, attempt: AttemptIn<"accepted">): boolean {
  const seconds = settingsOf(seen.provider)?.timeouts.jobSeconds ?? 0;
  const limitMs =
    Math.max(after(attempt.acceptedAt, seconds * 1000), attempt.cancelAskedAt?.getTime() ?? 0) + STALL_GRACE_MS;
  return seen.now.getTime() >= limitMs;
}

/** Whether a deleted object has waited long enough for its provider. */
export function deletionGracePassed(seen: Observation): boolean {
  const { deletedAt } = seen.task;
  return deletedAt !== undefined && seen.now.getTime() >= after(deletedAt, seen.policy.deletionGraceMs);
}
