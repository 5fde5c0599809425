// What people and metrics ask of the books: the reports that must be empty, account statements, and counts. Reads only.
import type { Pool } from "pg";
import type { AttemptId, MicroCredits, ProviderJobId, TaskKey } from "../task/brand.ts";
import type { Attempt, EndReason } from "../task/attempt.ts";
import { LINE_PATIENCE_MS } from "./admission.ts";
import { accountStatement } from "./statement.ts";
import type { AccountStatement } from "./statement.ts";
import { readRows } from "./transaction.ts";

/** The views of the schema that must be empty; each is `genop.report_<name>`. */
export const REPORTS = [
  "unbalanced_transactions",
  "balance_mismatch",
  "version_gaps",
  "open_holds_of_ended_tasks",
  "holds_past_age",
  "settled_without_attempt",
  "charged_without_settlement",
  "attempts_without_hold",
  "reservation_mismatch",
  "held_mismatch",
  "spending_mismatch",
  "negative_balances",
  "two_live_attempts",
  "live_attempts_of_ended_tasks",
  "submits_without_mark",
  "usage_mismatch",
  "refund_mismatch",
  "late_mismatch",
  "owed_mismatch",
  "unsealed_transactions",
] as const;
export type ReportName = (typeof REPORTS)[number];

export interface ReportCount {
  readonly report: ReportName;
  /** Zero while the books are right. */
  readonly rows: number;
}

export interface ProviderCounts {
  readonly provider: string;
  /** Attempts that asked for admission lately and were refused. */
  readonly waiting: number;
  /** Submits under way and jobs not known to be over. */
  readonly inFlight: number;
  /** Submits whose answer is lost: ambiguous, or past their deadline. */
  readonly unknown: number;
  /** Jobs that are done and whose outputs are being copied. */
  readonly fetching: number;
  readonly oldestUnknownSeconds: number;
}

export interface AttemptLine {
  readonly taskKey: TaskKey;
  readonly number: number;
  /** Also the client request id. */
  readonly attemptId: AttemptId;
  readonly provider: string;
  readonly state: Attempt["state"];
  readonly reason: EndReason | undefined;
  readonly jobId: ProviderJobId | undefined;
  /** False while no request of it can have left. */
  readonly sent: boolean;
  readonly charge: MicroCredits | undefined;
  readonly taskParked: boolean;
}

export interface Reports {
  /** Counts every report's rows. */
  run(signal: AbortSignal): Promise<readonly ReportCount[]>;
  accountStatement(namespace: string, maxLines: number, signal: AbortSignal): Promise<AccountStatement>;
  /** Every provider that has an attempt that has not ended. */
  counts(signal: AbortSignal): Promise<readonly ProviderCounts[]>;
  /** Of one provider. Undefined: all of its attempts have ended. */
  countsOf(provider: string, signal: AbortSignal): Promise<ProviderCounts | undefined>;
  /** A provider's attempts, the oldest first. */
  attempts(provider: string, maxLines: number, signal: AbortSignal): Promise<readonly AttemptLine[]>;
}

/** Reports over the same pool as the books; needs no leadership. */
export function makeReports(pool: Pool): Reports {
  return {
    run: (signal) => run(pool, signal),
    accountStatement: (namespace, maxLines, signal) => accountStatement(pool, namespace, maxLines, signal),
    counts: (signal) => readRows<ProviderCounts>(pool, countsWhere("true"), [LINE_PATIENCE_MS / 1000], signal),
    countsOf: async (provider, signal) => {
      const text = countsWhere("provider = $2");
      const [counts] = await readRows<ProviderCounts>(pool, text, [LINE_PATIENCE_MS / 1000, provider], signal);
      return counts;
    },
    attempts: async (provider, maxLines, signal) => {
      const rows = await readRows<AttemptLineRow>(pool, ATTEMPTS, [provider, maxLines], signal);
      return rows.map(lineOf);
    },
  };
}

/** One statement each: on a large ledger one of them takes seconds, and all together would meet the statement's limit. */
async function run(pool: Pool, signal: AbortSignal): Promise<readonly ReportCount[]> {
  const counts: ReportCount[] = [];
  for (const report of REPORTS) {
    const text = `select count(*)::integer as rows from genop.report_${report}`;
    const [row] = await readRows<{ rows: number }>(pool, text, [], signal);
    counts.push({ report, rows: row?.rows ?? 0 });
  }
  return counts;
}

const countsWhere = (condition: string): string => `
select provider,
       (count(*) filter (where asks))::integer as waiting,
       (count(*) filter (where state in ('sent', 'accepted')))::integer as "inFlight",
       (count(*) filter (where lost))::integer as unknown,
       (count(*) filter (where state = 'ready'))::integer as fetching,
       coalesce(extract(epoch from clock_timestamp() - min(sent_at) filter (where lost)), 0)::float8 as "oldestUnknownSeconds"
  from (select *, state = 'intended' and wanted_at > clock_timestamp() - make_interval(secs => $1) as asks,
               state = 'sent' and (ambiguity_at is not null or deadline < clock_timestamp()) as lost
          from genop.attempts where state <> 'ended' and ${condition}) live
 group by provider
 order by provider`;

const ATTEMPTS = `
select attempt.task_key, attempt.number, attempt.id, attempt.provider, attempt.state, attempt.reason, attempt.job_id,
       attempt.sent_at is not null as sent, attempt.charge, task.parked_at is not null as parked
  from genop.attempts attempt join genop.tasks task on task.key = attempt.task_key
 where attempt.provider = $1
 order by attempt.begun_at, attempt.id
 limit $2`;

interface AttemptLineRow {
  readonly task_key: string;
  readonly number: number;
  readonly id: string;
  readonly provider: string;
  readonly state: Attempt["state"];
  readonly reason: EndReason | null;
  readonly job_id: string | null;
  readonly sent: boolean;
  readonly charge: bigint | null;
  readonly parked: boolean;
}

function lineOf(row: AttemptLineRow): AttemptLine {
  return {
    taskKey: row.task_key as TaskKey,
    number: row.number,
    attemptId: row.id as AttemptId,
    provider: row.provider,
    state: row.state,
    reason: row.reason ?? undefined,
    jobId: (row.job_id ?? undefined) as ProviderJobId | undefined,
    sent: row.sent,
    charge: (row.charge ?? undefined) as MicroCredits | undefined,
    taskParked: row.parked,
  };
}
