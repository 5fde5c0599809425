// When a pass wants to be looked at again, and the registration that it writes with.
import { effectiveKey, taskKeyOf } from "../task/task.ts";
import type { Task } from "../task/task.ts";
import type { Next, Registration, Stale } from "./ports.ts";

/** Something changed: the next pass sees and reports it. */
export const AT_ONCE: Next = { afterMs: 0 };

/** Somebody else moved the row, or we were deposed: look again, but never at full speed. */
const STALE_MS = 1000;

export function after(written: { readonly outcome: string } | Stale, next: Next): Next {
  return written.outcome === "stale" || written.outcome === "taken" ? { afterMs: STALE_MS } : next;
}

export function registrationOf(task: Task): Registration {
  const { name, namespace, specHash, uid } = task;
  return { key: effectiveKey(task) ?? taskKeyOf(task), uid, namespace, name, specHash };
}
