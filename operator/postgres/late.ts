// Late searches: what goes on after an attempt was given up. A job that turns up is written down once, and what it cost is booked once,
// whichever of the search and the bill comes first: both look under the lock of the job.
import type { Pool } from "pg";
import type { ClaimLook, LateBooks, LateDue, LateWatch, Noted } from "../reconcile/ports.ts";
import type { AttemptId, MicroCredits, ProviderJobId, TaskKey } from "../task/brand.ts";
import { ZERO } from "../task/credits.ts";
import type { FoundBy, LateClose, LateIn, LateSearch } from "../task/late.ts";
import { insertAssets } from "./ending.ts";
import { isTaken } from "./faults.ts";
import { inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { post } from "./ledger.ts";
import { moved, note } from "./mark.ts";
import { readRows } from "./transaction.ts";

/** `fence` tells the term that this process leads in. */
export function makeLateBooks(pool: Pool, fence: Fence): LateBooks {
  return {
    due: (after, atMost, signal) => due(pool, { after, atMost }, signal),
    noteVisit: (late, nextAfterMs) => note(pool, fence, { statement: VISIT, values: [...seen(late), nextAfterMs] }),
    noteClaim: (late, claim) => noteClaim(pool, fence, late, claim),
    markFound: (late, jobId, by) => markFound(pool, fence, late, { jobId, by }),
    noteWatch: (late, watch) => noteWatch(pool, fence, late, watch),
    close: (late, ending, assets) =>
      inTransaction(pool, fence, async (transaction) => {
        const booked = await close(transaction, late, ending);
        await insertAssets(transaction, late.attempt.id, assets);
        return { outcome: "done" as const, booked };
      }),
  };
}

interface DueRow {
  readonly now: Date;
  readonly next_at: string;
  readonly task_key: TaskKey;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly id: AttemptId;
  readonly number: number;
  readonly provider: string;
  readonly model: string;
  readonly held: MicroCredits;
  readonly sent_at: Date;
  readonly begun_at: Date;
  readonly looks: number;
  readonly job_id: ProviderJobId | null;
  readonly found_at: Date | null;
  readonly cancel_asked_at: Date | null;
  readonly missing_answers: number;
  readonly claimed_job: ProviderJobId | null;
  readonly claim_looks: number | null;
}

const DUE = `
select statement_timestamp() as now, late.next_at::text as next_at, task.key as task_key, task.uid, task.namespace, task.name,
       attempt.id, attempt.number, attempt.provider, attempt.model, hold.amount as held, attempt.sent_at,
       late.begun_at, late.looks, late.job_id, late.found_at, late.cancel_asked_at, late.missing_answers,
       claim.job_id as claimed_job, claim.looks as claim_looks
  from genop.late_searches late
  join genop.attempts attempt on attempt.id = late.attempt_id
  join genop.tasks task on task.key = attempt.task_key
  join genop.holds hold on hold.attempt_id = attempt.id
  left join lateral (
    select job_id, looks from genop.claims
     where attempt_id = late.attempt_id and late.state = 'searching' and refused_at is null
     order by claimed_at limit 1) claim on true
 where late.state <> 'over' and late.next_at <= statement_timestamp()
   and (late.next_at, late.attempt_id) > (coalesce($1::timestamptz, '-infinity'), coalesce($2::uuid, '00000000-0000-0000-0000-000000000000'))
 order by late.next_at, late.attempt_id
 limit $3`;

async function due(
  pool: Pool,
  { after, atMost }: { readonly after: LateDue | undefined; readonly atMost: number },
  signal: AbortSignal,
): Promise<readonly LateDue[]> {
  const values = [after?.nextAt ?? null, after?.late.attempt.id ?? null, atMost];
  const rows = await readRows<DueRow>(pool, DUE, values, signal);
  return rows.map((row) => {
    const { name, namespace, next_at: nextAt, now, task_key: key, uid } = row;
    return { late: lateOf(row), nextAt, now, task: { key, uid, namespace, name } };
  });
}

function lateOf(row: DueRow): LateSearch {
  const { begun_at: begunAt, held, id, looks, model, number, provider, sent_at: sentAt } = row;
  const given = { attempt: { id, number, provider, model, held, sentAt }, begunAt, looks };
  if (row.job_id !== null && row.found_at !== null) {
    return {
      ...given,
      state: "found",
      jobId: row.job_id,
      foundAt: row.found_at,
      cancelAskedAt: row.cancel_asked_at ?? undefined,
      missing: row.missing_answers,
    };
  }
  const claim = row.claimed_job === null ? undefined : { jobId: row.claimed_job, looks: row.claim_looks ?? 0 };
  return { ...given, state: "searching", claim };
}

/** What every mark compares with: the visit that was seen is the last one. */
const SEEN = "attempt_id = $1 and state = $2 and looks = $3";
const seen = ({ attempt, looks, state }: LateSearch): readonly unknown[] => [attempt.id, state, looks];

const VISIT = `
update genop.late_searches set looks = looks + 1, next_at = clock_timestamp() + $4 * interval '1 millisecond'
 where ${SEEN} returning attempt_id`;

// The count of looks stays: a claim is news, and does not make the search itself look more rarely.
const CLAIM = `
with late as (
  update genop.late_searches set next_at = clock_timestamp() + $6 * interval '1 millisecond'
   where ${SEEN} returning attempt_id
)
update genop.claims
   set looks = looks + 1, refused_at = case when $5 then coalesce(refused_at, clock_timestamp()) else refused_at end
 where attempt_id = (select attempt_id from late) and job_id = $4
returning job_id`;

async function noteClaim(
  pool: Pool,
  fence: Fence,
  late: LateIn<"searching">,
  { jobId, nextAfterMs, refused }: ClaimLook,
): Promise<Noted> {
  return note(pool, fence, { statement: CLAIM, values: [...seen(late), jobId, refused, nextAfterMs] });
}

const FOUND = `
update genop.late_searches
   set state = 'found', looks = 0, next_at = clock_timestamp(), job_id = $4, found_at = clock_timestamp(), found_by = $5
 where ${SEEN} returning attempt_id`;

async function markFound(
  pool: Pool,
  fence: Fence,
  late: LateIn<"searching">,
  { by, jobId }: { readonly by: FoundBy; readonly jobId: ProviderJobId },
): Promise<Noted | { readonly outcome: "taken" }> {
  try {
    return await note(pool, fence, { statement: FOUND, values: [...seen(late), jobId, by] });
  } catch (error) {
    if (!isTaken(error)) throw error;
    return { outcome: "taken" };
  }
}

const WATCH = `
update genop.late_searches
   set looks = looks + 1, next_at = clock_timestamp() + $4 * interval '1 millisecond', missing_answers = $5,
       cancel_asked_at = case when $6 then coalesce(cancel_asked_at, clock_timestamp()) else cancel_asked_at end
 where ${SEEN} returning attempt_id`;

async function noteWatch(pool: Pool, fence: Fence, late: LateIn<"found">, watch: LateWatch): Promise<Noted> {
  const { isCancelAsked, missing, nextAfterMs } = watch;
  return note(pool, fence, { statement: WATCH, values: [...seen(late), nextAfterMs, missing, isCancelAsked] });
}

const CLOSE = `
update genop.late_searches
   set state = 'over', next_at = null, over_at = clock_timestamp(), verdict = $4, charge = $5, transaction_id = $6
 where ${SEEN} returning attempt_id`;

/** Nothing is booked for a job that a bill has been booked for: the bill knows better. */
async function close(
  transaction: FencedTransaction,
  late: LateSearch,
  { charge, verdict }: LateClose,
): Promise<MicroCredits> {
  const namespace = await heldAttempt(transaction, late);
  const booked = late.state === "found" && charge > 0n && !(await isBilled(transaction, late)) ? charge : ZERO;
  const transactionId = booked > 0n && late.state === "found" ? await book(transaction, namespace, late, booked) : null;
  await moved(transaction, CLOSE, [...seen(late), verdict, booked, transactionId]);
  return booked;
}

/** The first lock, as everywhere: assets refer to the attempt, and whoever has that alone may go on to what this transaction has by then. */
async function heldAttempt(transaction: FencedTransaction, { attempt }: LateSearch): Promise<string> {
  const [row] = await transaction.rows<{ namespace: string }>(
    "select namespace from genop.attempts where id = $1 for key share",
    [attempt.id],
  );
  if (!row) throw new Error("cannot end a late search: its attempt is not there");
  return row.namespace;
}

async function isBilled(transaction: FencedTransaction, { attempt, jobId }: LateIn<"found">): Promise<boolean> {
  await transaction.rows("select genop.lock_job($1, $2)", [attempt.provider, jobId]);
  const lines = await transaction.count(
    "select from genop.usage_lines where provider = $1 and job_id = $2 and judged_at is not null",
    [attempt.provider, jobId],
  );
  return lines > 0;
}

/** Between the platform's own accounts: a tenant never pays for a job that turned up after its attempt was given up. */
async function book(
  transaction: FencedTransaction,
  namespace: string,
  { attempt, jobId }: LateIn<"found">,
  charge: MicroCredits,
): Promise<bigint> {
  const { transactionId } = await post(transaction, {
    namespace,
    operation: "late",
    businessId: attempt.id,
    inputs: { charge: charge.toString(), job: jobId },
    moves: [
      { account: "loss", amount: 0n - charge },
      { account: "provider-payable", amount: charge },
    ],
  });
  return transactionId;
}
