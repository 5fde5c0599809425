// The way of a task through its phases, from the moments that are recorded. Pure. The phases themselves are never recorded: they are
// what the moments mean (operator/task/phase.ts).
import type { Phase } from "../../operator/task/phase.ts";
import { PHASES } from "../../operator/task/resource.ts";
import type { SeenTask } from "../cluster/kinds.ts";
import type { AttemptEvidence, Evidence } from "./evidence.ts";
import { isAbsent, type Facts } from "./facts.ts";

export interface Stay {
  readonly phase: Phase;
  readonly from: Date;
  /** Undefined: it is in this phase. */
  readonly until: Date | undefined;
}

interface Moment {
  readonly phase: Phase;
  readonly at: Date;
}

export function staysOf({ evidence, now, task }: Facts): readonly Stay[] {
  const moments = isAbsent(evidence) ? momentsInStatus(task) : momentsInEvidence(evidence, now);
  const inOrder = moments.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const turns = inOrder.filter(({ phase }, index) => phase !== inOrder[index - 1]?.phase);
  return turns.map(({ at, phase }, index) => ({ phase, from: at, until: turns[index + 1]?.at }));
}

function moment(phase: Phase, time: string | undefined): readonly Moment[] {
  return time === undefined ? [] : [{ phase, at: new Date(time) }];
}

function momentsInEvidence({ attempts, task }: Evidence, now: Date): readonly Moment[] {
  const end = PHASES.find((phase) => phase === task.endedPhase);
  return [
    ...moment("Pending", task.registeredAt),
    ...attempts.flatMap((attempt, index) => {
      const endsTask = task.endedAt !== undefined && index === attempts.length - 1;
      return [...momentsOfAttempt(attempt, now), ...(endsTask ? [] : moment("Pending", attempt.endedAt))];
    }),
    ...moment("NeedsReview", task.parkedAt),
    ...(end === undefined ? [] : moment(end, task.endedAt)),
  ];
}

function momentsOfAttempt(attempt: AttemptEvidence, now: Date): readonly Moment[] {
  const { acceptedAt, ambiguityAt, deadline, endedAt, readyAt, sentAt } = attempt;
  const unclearAt = ambiguityAt ?? deadline;
  const clearAt = Date.parse(acceptedAt ?? endedAt ?? now.toISOString());
  const wasUnclear = sentAt !== undefined && unclearAt !== undefined && Date.parse(unclearAt) < clearAt;
  return [
    ...moment("Submitting", sentAt),
    ...(wasUnclear ? moment("SubmitUnknown", unclearAt) : []),
    ...moment("Polling", acceptedAt),
    ...moment("Fetching", readyAt),
  ];
}

/** What the object alone tells: fewer moments, to the second. */
function momentsInStatus({ metadata, status }: SeenTask): readonly Moment[] {
  const since = (type: string): string | undefined =>
    status.conditions?.find((one) => one.type === type && one.status === "True")?.lastTransitionTime;
  const known = [
    ...moment("Pending", status.startTime ?? metadata.creationTimestamp),
    ...moment("Submitting", status.submittedTime),
    ...moment("Polling", since("Submitted")),
    ...moment("NeedsReview", since("NeedsReview")),
  ];
  const end = status.phase === undefined ? [] : moment(status.phase, status.completionTime);
  return inTheirOrder([...known, ...end]);
}

/** Some are to the second and some are not: one that seems to be before the one that it follows was within its second. */
function inTheirOrder(moments: readonly Moment[]): readonly Moment[] {
  let latestMs = 0;
  return moments.map(({ at, phase }) => {
    latestMs = Math.max(latestMs, at.getTime());
    return { phase, at: new Date(latestMs) };
  });
}
