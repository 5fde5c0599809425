// Rows as attempts: the one place that knows which column belongs to which state.
import type { Attempt, EndReason } from "../task/attempt.ts";
import type { AttemptId, MicroCredits, ProviderJobId } from "../task/brand.ts";
import { unreachable } from "../task/unreachable.ts";

export interface AttemptRow {
  readonly id: string;
  readonly number: number;
  readonly provider: string;
  readonly model: string;
  readonly held: bigint;
  readonly state: Attempt["state"];
  readonly begun_at: Date;
  readonly sent_at: Date | null;
  readonly deadline: Date | null;
  readonly ambiguity_code: string | null;
  readonly ambiguity_at: Date | null;
  readonly misses: number;
  readonly looks: number;
  readonly search_next_at: Date | null;
  readonly taken_at: Date | null;
  readonly job_id: string | null;
  readonly accepted_at: Date | null;
  readonly polls: number;
  readonly next_poll_at: Date | null;
  readonly progress: number | null;
  readonly empty_since: Date | null;
  readonly missing_since: Date | null;
  readonly missing_polls: number;
  readonly expired_since: Date | null;
  readonly cancel_asked_at: Date | null;
  readonly ready_at: Date | null;
  readonly cost: bigint | null;
  readonly fetches: number;
  readonly next_fetch_at: Date | null;
  readonly ended_at: Date | null;
  readonly reason: EndReason | null;
  readonly retry_at: Date | null;
}

/** The row as a member of the union; the table's constraints guarantee what is asserted here. */
export function attemptOf(row: AttemptRow): Attempt {
  switch (row.state) {
    case "intended":
      return { ...begun(row), state: "intended" };
    case "sent":
      return sent(row);
    case "accepted":
      return accepted(row);
    case "ready":
      return ready(row);
    case "ended":
      return ended(row);
    default:
      return unreachable(row.state);
  }
}

function begun(row: AttemptRow): Pick<Attempt, "id" | "number" | "provider" | "model" | "held" | "begunAt"> {
  const { begun_at: begunAt, held, id, model, number, provider } = row;
  return { id: id as AttemptId, number, provider, model, held: held as MicroCredits, begunAt };
}

function sent(row: AttemptRow): Attempt {
  const { ambiguity_at: at, ambiguity_code: code, looks, misses, search_next_at: nextAt, taken_at: takenAt } = row;
  return {
    ...begun(row),
    state: "sent",
    sentAt: must(row.sent_at, "sent_at"),
    deadline: must(row.deadline, "deadline"),
    ambiguity: code === null ? undefined : { code, at: must(at, "ambiguity_at") },
    search: { misses, looks, nextAt: nextAt ?? undefined, takenAt: takenAt ?? undefined },
  };
}

function withJob(row: AttemptRow): ReturnType<typeof begun> & {
  readonly jobId: ProviderJobId;
  readonly sentAt: Date;
  readonly acceptedAt: Date;
  readonly cancelAskedAt: Date | undefined;
} {
  return {
    ...begun(row),
    jobId: must(row.job_id, "job_id") as ProviderJobId,
    sentAt: must(row.sent_at, "sent_at"),
    acceptedAt: must(row.accepted_at, "accepted_at"),
    cancelAskedAt: row.cancel_asked_at ?? undefined,
  };
}

function accepted(row: AttemptRow): Attempt {
  return {
    ...withJob(row),
    state: "accepted",
    polls: row.polls,
    nextPollAt: must(row.next_poll_at, "next_poll_at"),
    progress: row.progress ?? undefined,
    emptySince: row.empty_since ?? undefined,
    missing: row.missing_since === null ? undefined : { since: row.missing_since, answers: row.missing_polls },
  };
}

function ready(row: AttemptRow): Attempt {
  return {
    ...withJob(row),
    state: "ready",
    readyAt: must(row.ready_at, "ready_at"),
    cost: (row.cost ?? undefined) as MicroCredits | undefined,
    fetches: row.fetches,
    nextFetchAt: must(row.next_fetch_at, "next_fetch_at"),
    expiredSince: row.expired_since ?? undefined,
  };
}

function ended(row: AttemptRow): Attempt {
  return {
    ...begun(row),
    state: "ended",
    endedAt: must(row.ended_at, "ended_at"),
    reason: must(row.reason, "reason"),
    jobId: (row.job_id ?? undefined) as ProviderJobId | undefined,
    sentAt: row.sent_at ?? undefined,
    retryAt: row.retry_at ?? undefined,
  };
}

function must<Value>(value: Value | null, column: string): Value {
  if (value === null) throw new Error(`cannot read the attempt: ${column} is null in a state that has it`);
  return value;
}
