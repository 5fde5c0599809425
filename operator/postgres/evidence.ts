// What the database knows of one task, or of one namespace's credits, as people are told it: bounded, read-only, money as decimals.
// Every statement names the namespace, so that no other tenant's row can be in an answer. Nothing decides upon this.
import type { Pool } from "pg";
import { readRows } from "./transaction.ts";

/** The newest attempts, decisions, calls of an attempt, and lines of an account that are told. */
export const EVIDENCE_LIMITS = { attempts: 100, decisions: 100, calls: 20, lines: 200 } as const;

/** Plain JSON, as it goes out; cli/why/evidence.ts reads it. */
export type EvidenceJson = Readonly<Record<string, unknown>>;

const CREDITS = (column: string): string => `trim_scale(${column} / 1000000.0)::text`;

// The newest registration under this name: one that was made anew under the same name is another task.
const TASK = `
select json_strip_nulls(json_build_object(
  'now', statement_timestamp(),
  'task', json_build_object(
    'key', task.key, 'uid', task.uid, 'registeredAt', task.registered_at,
    'endedAt', task.ended_at, 'endedPhase', task.ended_phase, 'endedReason', task.ended_reason,
    'parkedAt', task.parked_at, 'parkedReason', task.parked_reason,
    'waitingReason', task.waiting_reason, 'waitingPosition', task.waiting_position),
  'decisions', coalesce((
    select json_agg(json_build_object(
      'at', decided.done_at, 'attempt', decided.attempt, 'decision', decided.decision, 'jobID', decided.job_id,
      'note', decided.note, 'by', decided.decided_by) order by decided.id)
      from (select * from genop.decisions where task_key = task.key order by id desc limit ${EVIDENCE_LIMITS.decisions}) decided), '[]'),
  'attempts', coalesce((
    select json_agg(attempt.told order by attempt.number) from (
      select one.number, json_build_object(
        'number', one.number, 'id', one.id, 'provider', one.provider, 'model', one.model, 'state', one.state,
        'begunAt', one.begun_at, 'blockedBy', case when one.state = 'intended' then one.blocked_by end,
        'sentAt', one.sent_at, 'deadline', one.deadline,
        'ambiguityCode', one.ambiguity_code, 'ambiguityAt', one.ambiguity_at,
        'looks', one.looks, 'misses', one.misses, 'searchNextAt', one.search_next_at, 'takenAt', one.taken_at,
        'jobID', one.job_id, 'acceptedAt', one.accepted_at, 'polls', one.polls, 'nextPollAt', one.next_poll_at,
        'progress', one.progress, 'emptySince', one.empty_since, 'missingSince', one.missing_since,
        'cancelAskedAt', one.cancel_asked_at, 'readyAt', one.ready_at, 'cost', ${CREDITS("one.cost")},
        'fetches', one.fetches, 'nextFetchAt', one.next_fetch_at, 'expiredSince', one.expired_since,
        'endedAt', one.ended_at, 'reason', one.reason, 'retryAt', one.retry_at,
        'held', ${CREDITS("hold.amount")}, 'settled', ${CREDITS("resolution.settled")},
        'released', ${CREDITS("resolution.released")}, 'loss', ${CREDITS("nullif(resolution.excess, 0)")},
        'late', (
          select json_build_object(
            'state', late.state, 'nextAt', late.next_at, 'jobID', late.job_id, 'verdict', late.verdict,
            'booked', ${CREDITS("nullif(late.charge, 0)")})
            from genop.late_searches late where late.attempt_id = one.id),
        'calls', coalesce((
          select json_agg(call.told order by call.id) from (
            select calls.id, json_build_object(
              'operation', calls.operation, 'startedAt', calls.started_at, 'finishedAt', calls.finished_at,
              'outcome', calls.outcome, 'code', calls.code) as told
              from genop.calls where calls.attempt_id = one.id order by calls.id desc limit ${EVIDENCE_LIMITS.calls}) call), '[]')
      ) as told
        from genop.attempts one
        left join genop.holds hold on hold.attempt_id = one.id
        left join genop.hold_resolutions resolution on resolution.attempt_id = one.id
       where one.task_key = task.key and one.namespace = $1
       order by one.number desc limit ${EVIDENCE_LIMITS.attempts}) attempt), '[]'))) as told
  from genop.tasks task
 where task.namespace = $1 and task.name = $2
 order by task.registered_at desc limit 1`;

/** Undefined when the database has no such task. Throws PostgresFault. */
export async function readTaskEvidence(
  pool: Pool,
  at: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<EvidenceJson | undefined> {
  const [row] = await readRows<{ told: EvidenceJson }>(pool, TASK, [at.namespace, at.name], signal);
  return row?.told;
}

// By the accounts' own index: a namespace's whole history is not read for its last lines.
const ACCOUNT = `
with own as (
  select id, kind from genop.accounts where namespace = $1 and kind in ('available', 'held') and asset = 'credit'),
touched as (
  select distinct newest.transaction_id from own cross join lateral (
    select transaction_id from genop.entries where account_id = own.id order by account_version desc limit $2::integer) newest
   order by newest.transaction_id desc limit $2::integer),
lines as (
  select posted.id, posted.posted_at, posted.operation,
         coalesce(task.name, granted.reason) as about, attempt.number as attempt,
         coalesce(sum(entry.amount) filter (where own.kind = 'available'), 0) as available,
         coalesce(sum(entry.amount) filter (where own.kind = 'held'), 0) as held
    from touched
    join genop.ledger_transactions posted on posted.id = touched.transaction_id
    join genop.entries entry on entry.transaction_id = posted.id
    join own on own.id = entry.account_id
    left join genop.attempts attempt on posted.operation in ('hold', 'resolve') and attempt.id::text = posted.business_id
    left join genop.tasks task on task.key = attempt.task_key and task.namespace = $1
    left join genop.grants granted on posted.operation = 'grant' and granted.transaction_id = posted.id and granted.namespace = $1
   group by posted.id, posted.posted_at, posted.operation, task.name, granted.reason, attempt.number)
select json_build_object(
  'now', statement_timestamp(),
  'spent', (select json_build_object('day', ${CREDITS("spent.day")}, 'month', ${CREDITS("spent.month")},
                                     'dayEnds', spent.day_ends, 'monthEnds', spent.month_ends)
              from genop.spent($1, statement_timestamp()) spent),
  'available', ${CREDITS("coalesce((select balance from genop.balances join own on own.id = account_id where kind = 'available'), 0)")},
  'held', ${CREDITS("coalesce((select balance from genop.balances join own on own.id = account_id where kind = 'held'), 0)")},
  'lines', coalesce((
    select json_agg(json_strip_nulls(json_build_object(
      'transactionID', lines.id::text, 'at', lines.posted_at, 'operation', lines.operation, 'about', lines.about,
      'attempt', lines.attempt, 'available', ${CREDITS("lines.available")}, 'held', ${CREDITS("lines.held")}))
      order by lines.id desc) from lines), '[]')) as told`;

/** The balances of a namespace, what it has spent of its budgets, and its newest ledger lines; all zero for one that has no account. Throws PostgresFault. */
export async function readAccount(
  pool: Pool,
  of: { readonly namespace: string; readonly lines: number },
  signal: AbortSignal,
): Promise<EvidenceJson> {
  const lines = Math.min(of.lines, EVIDENCE_LIMITS.lines);
  const [row] = await readRows<{ told: EvidenceJson }>(pool, ACCOUNT, [of.namespace, lines], signal);
  if (!row) throw new Error("cannot read an account: the statement answered without a row");
  return row.told;
}
