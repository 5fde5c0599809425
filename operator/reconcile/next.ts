// When a pass wants to be looked at again, or how it goes on, and the registration that it writes with.
import type { TaskKey } from "../task/brand.ts";
import { effectiveKey, taskKeyOf } from "../task/task.ts";
import type { Task } from "../task/task.ts";
import type { AcceptOutcome, Next, Noted, Onward, Registration, Waiting } from "./ports.ts";

/** Something changed: the next pass sees and reports it. */
export const AT_ONCE: Next = { afterMs: 0 };

/** Somebody else moved the row, or we were deposed: look again, but never at full speed. */
export const AFTER_STALE: Next = { afterMs: 1000 };

export function after(written: Noted, next: Next): Next {
  return written.outcome === "stale" ? AFTER_STALE : next;
}

export function onward(written: AcceptOutcome): Next | Onward {
  return written.outcome === "done" ? { facts: written.facts } : AFTER_STALE;
}

export function isOnward(went: Next | Onward): went is Onward {
  return typeof went === "object" && "facts" in went;
}

/** The task waits: what it waits for is told if that is news. */
export function waiting(outcome: Waiting, afterMs: number): Next | Onward {
  return outcome.changed ? { facts: outcome.facts, afterMs } : { afterMs };
}

/** The key by which the books know the task, also while it is refused. */
export function keyOf(task: Task): TaskKey {
  return effectiveKey(task) ?? taskKeyOf(task);
}

export function registrationOf(task: Task): Registration {
  const { name, namespace, specHash, uid } = task;
  return { key: keyOf(task), uid, namespace, name, specHash };
}
