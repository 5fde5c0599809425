// Which transitions of a task are worth an event, as a table: two for a task that goes its ordinary way, its submit and its end,
// since every event is an object that the API server stores. Notes are fixed sentences: an event that recurs is counted, not
// multiplied, and no value of a task ever stands in one.
import { LATE_JOB } from "../task/late-condition.ts";
import { REASONS } from "../task/reasons.ts";
import { isFinal, type Phase } from "../task/phase.ts";
import type { TaskStatus } from "../task/resource.ts";

export interface TaskEvent {
  readonly type: "Normal" | "Warning";
  /** PascalCase: what `kubectl get events` shows. */
  readonly reason: string;
  /** What the operator did, for events.k8s.io. */
  readonly action: string;
  readonly note: string;
}

const normal = (reason: string, action: string, note: string): TaskEvent => ({ type: "Normal", reason, action, note });
const warning = (reason: string, action: string, note: string): TaskEvent => ({
  ...normal(reason, action, note),
  type: "Warning",
});

const HELD = normal("Held", "Hold", REASONS.Held);
const SUBMITTED = normal("Submitted", "Submit", REASONS.Accepting);
const RECOVERED = normal("Recovered", "Search", "the job was found: nothing is submitted again");
const RETRYING = normal("Retrying", "Retry", "the attempt ended; another one may follow");
const TURNED_UP = warning("LateJob", "Search", REASONS.LateJobFound);
const RESOLVED = normal("Resolved", "Resolve", "a person's decision was carried out");

/** What is told when a task comes to this phase; undefined: nothing. Ends and NeedsReview carry the sentence of their reason. */
const ON_PHASE: Readonly<Record<Phase, TaskEvent | undefined>> = {
  Pending: undefined,
  Submitting: undefined,
  SubmitUnknown: warning("SubmitUnknown", "Submit", REASONS.SubmitUnknown),
  Polling: SUBMITTED,
  Fetching: undefined,
  Succeeded: normal("Succeeded", "End", REASONS.AssetsPublished),
  Failed: warning("Failed", "End", "the task failed"),
  Cancelled: normal("Cancelled", "End", "the task was cancelled"),
  Rejected: warning("Rejected", "End", "the task can't be carried out"),
  NeedsReview: warning("NeedsReview", "Park", "a person has to decide: see spec.resolution"),
};

/** From these phases, which have an attempt, back to the start means that another attempt is made. */
const TRIED: ReadonlySet<Phase | undefined> = new Set(["Submitting", "SubmitUnknown", "Polling", "Fetching"]);

/**
 * The event for a status that follows another: one when the phase changed to one worth telling, or when credits became
 * held for a task that was shown waiting for them.
 */
export function eventFor(previous: TaskStatus, next: TaskStatus): TaskEvent | undefined {
  const { phase } = next;
  if (phase === undefined) return undefined;
  if (phase === "Pending" && !TRIED.has(previous.phase)) return eventWhilePending(previous, next);
  if (phase === previous.phase) return undefined;
  if (isFinal(phase) || phase === "NeedsReview") return withSentence(ON_PHASE[phase], next.reason);
  return eventOnTheWay(previous.phase, phase);
}

/** A job turned up after the end of its attempt, for the first time. */
export function lateEventFor(previous: TaskStatus, next: TaskStatus): TaskEvent | undefined {
  return hasLateJob(next) && !hasLateJob(previous) ? TURNED_UP : undefined;
}

function hasLateJob({ conditions = [] }: TaskStatus): boolean {
  return conditions.some(({ type }) => type === LATE_JOB);
}

function eventWhilePending(previous: TaskStatus, next: TaskStatus): TaskEvent | undefined {
  if (previous.phase === "NeedsReview") return RESOLVED;
  return previous.phase !== undefined && isHeld(next) && !isHeld(previous) ? HELD : undefined;
}

function eventOnTheWay(from: Phase | undefined, to: Phase): TaskEvent | undefined {
  if (from === "NeedsReview") return RESOLVED;
  if (to === "Pending") return RETRYING;
  if (from === "SubmitUnknown" && to !== "Submitting") return RECOVERED;
  return ON_PHASE[to];
}

function isHeld({ conditions = [] }: TaskStatus): boolean {
  return conditions.some(({ type, status }) => type === "Held" && status === "True");
}

/** The catalogue's sentence for the reason; status.message, which may hold values, is for status alone. */
function withSentence(event: TaskEvent | undefined, reason: string | undefined): TaskEvent | undefined {
  if (event === undefined || reason === undefined || !Object.hasOwn(REASONS, reason)) return event;
  return { ...event, note: `${reason}: ${REASONS[reason as keyof typeof REASONS]}` };
}
