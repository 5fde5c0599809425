// All facts about one task, in one statement: one snapshot, at one instant of the database's clock.
import type { Pool } from "pg";
import { END_REASONS, provesAbsence } from "../task/attempt.ts";
import type { AttemptId, MicroCredits, ProviderJobId, TaskKey } from "../task/brand.ts";
import type { Facts, TaskRecord } from "../task/facts.ts";
import type { LateVerdict } from "../task/late-verdict.ts";
import type { Reason } from "../task/reasons.ts";
import type { AssetStatus } from "../task/resource.ts";
import { attemptOf } from "./rows.ts";
import type { AttemptRow } from "./rows.ts";
import { readRows } from "./transaction.ts";
import type { Prepared, Transaction } from "./transaction.ts";

const ABSENT: readonly string[] = END_REASONS.filter(provesAbsence);

const LOAD: Prepared = {
  name: "load_task",
  text: `
select statement_timestamp() as now,
       task.key, task.uid, task.namespace, task.name, task.spec_hash, task.registered_at,
       task.ended_at as task_ended_at, task.ended_phase, task.ended_reason, task.ended_message,
       task.parked_at, task.parked_reason, task.parked_message, task.waiting_reason, task.waiting_position,
       task.waiting_until,
       attempt.id, attempt.number, attempt.provider, attempt.model, newest_hold.amount as held, attempt.state,
       attempt.begun_at, attempt.sent_at, attempt.deadline, attempt.ambiguity_code, attempt.ambiguity_at,
       attempt.misses, attempt.looks, attempt.search_next_at, attempt.taken_at, attempt.job_id, attempt.accepted_at, attempt.polls,
       attempt.next_poll_at, attempt.progress, attempt.empty_since, attempt.missing_since, attempt.missing_polls, attempt.expired_since, attempt.cancel_asked_at, attempt.ready_at,
       attempt.cost, attempt.fetches, attempt.next_fetch_at, attempt.ended_at, attempt.reason, attempt.retry_at,
       total.paid, total.free, total.reserved, total.settled, total.released,
       claim.job_id as claimed_job, claim.looks as claim_looks,
       coalesce(published.assets, '[]') as assets
  from (select coalesce($1::text, (select task_key from genop.attempts where id = $3::uuid)) as key) wish
  left join genop.tasks task on task.key = wish.key
  left join lateral (
    select * from genop.attempts where task_key = task.key order by number desc limit 1) attempt on true
  left join lateral (
    select job_id, looks from genop.claims
     where attempt_id = attempt.id and attempt.state = 'sent' and refused_at is null
     order by claimed_at limit 1) claim on true
  left join genop.holds newest_hold on newest_hold.attempt_id = attempt.id
  left join lateral (
    select (count(*) filter (where one.reason is null or one.reason <> all ($2::text[])))::integer as paid,
           (count(*) filter (where one.reason = any ($2::text[])))::integer as free,
           coalesce(sum(hold.amount), 0) as reserved,
           coalesce(sum(resolution.settled), 0) as settled,
           coalesce(sum(resolution.released), 0) as released
      from genop.attempts one
      join genop.holds hold on hold.attempt_id = one.id
      left join genop.hold_resolutions resolution on resolution.attempt_id = one.id
     where one.task_key = task.key) total on true
  left join lateral (
    select json_agg(json_build_object(
             'name', asset.name, 'uri', asset.uri, 'mediaType', asset.media_type, 'bytes', asset.bytes,
             'sha256', asset.sha256, 'width', asset.width, 'height', asset.height, 'durationMs', asset.duration_ms)
             order by asset.position) as assets
      from genop.assets asset
     where asset.attempt_id = attempt.id) published on true`,
};

// A statement of its own, and for few tasks: planning it with the others would cost every task.
const LATE = `
select one.number as attempt, late.job_id as "jobId", late.verdict,
       (select count(*)::integer from genop.assets kept where kept.attempt_id = one.id) as kept
  from genop.attempts one join genop.late_searches late on late.attempt_id = one.id
 where one.task_key = $1 and one.state = 'ended' and late.job_id is not null
 order by late.found_at desc limit 1`;

interface LateRow {
  readonly attempt: number;
  readonly jobId: ProviderJobId;
  readonly verdict: LateVerdict | null;
  readonly kept: number;
}

interface TaskColumns {
  readonly key: string | null;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly spec_hash: string;
  readonly registered_at: Date;
  readonly task_ended_at: Date | null;
  readonly ended_phase: NonNullable<TaskRecord["ended"]>["phase"];
  readonly ended_reason: Reason;
  readonly ended_message: string;
  readonly parked_at: Date | null;
  readonly parked_reason: Reason;
  readonly parked_message: string;
  readonly waiting_reason: NonNullable<TaskRecord["waiting"]>["reason"] | null;
  readonly waiting_position: number | null;
  readonly waiting_until: Date | null;
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null };

interface Totals {
  readonly now: Date;
  readonly paid: number;
  readonly free: number;
  readonly reserved: bigint;
  readonly settled: bigint;
  readonly released: bigint;
  readonly claimed_job: ProviderJobId | null;
  readonly claim_looks: number;
  readonly assets: readonly Nullable<AssetStatus>[];
}

type LoadRow = Totals & TaskColumns & (AttemptRow | { readonly id: null });

/** Reads the facts; no transaction, no leadership. */
export async function load(pool: Pool, key: TaskKey, signal: AbortSignal): Promise<Facts> {
  const rows = await readRows<LoadRow>(pool, LOAD, [key, ABSENT, null], signal);
  const late = mayHaveLate(rows) ? await readRows<LateRow>(pool, LATE, [key], signal) : [];
  return factsOf(rows, late);
}

/** The facts as they are at this point of a transaction, its own changes included. */
export async function factsIn(
  transaction: Transaction,
  of: { readonly key: TaskKey } | { readonly attemptId: AttemptId },
): Promise<Facts> {
  const values = "key" in of ? [of.key, ABSENT, null] : [null, ABSENT, of.attemptId];
  const rows = await transaction.rows<LoadRow>(LOAD, values);
  const late = mayHaveLate(rows) ? await transaction.rows<LateRow>(LATE, [rows[0]?.key]) : [];
  return factsOf(rows, late);
}

/** Only an attempt that has ended without a job has a late search, and only a task with such a one has to be asked for. */
function mayHaveLate([row]: readonly LoadRow[]): boolean {
  if (row?.id == null) return false;
  return row.number > 1 || (row.state === "ended" && row.job_id === null);
}

function factsOf([row]: readonly LoadRow[], [late]: readonly LateRow[]): Facts {
  if (!row) throw new Error("cannot load a task: the statement answered without a row");
  return {
    now: row.now,
    record: row.key === null ? undefined : recordOf({ ...row, key: row.key }),
    attempt: row.id === null ? undefined : attemptOf(row),
    claim: row.claimed_job === null ? undefined : { jobId: row.claimed_job, by: "webhook", looks: row.claim_looks },
    paidAttempts: row.paid,
    freeAttempts: row.free,
    credits: {
      reserved: row.reserved as MicroCredits,
      settled: row.settled as MicroCredits,
      released: row.released as MicroCredits,
    },
    assets: row.assets.map(withoutNulls),
    late: late && { ...late, verdict: late.verdict ?? undefined },
  };
}

function recordOf(row: TaskColumns & { readonly key: string }): TaskRecord {
  const { name, namespace, registered_at: registeredAt, spec_hash: specHash, uid } = row;
  return {
    key: row.key as TaskKey,
    uid,
    namespace,
    name,
    specHash,
    registeredAt,
    ended:
      row.task_ended_at === null
        ? undefined
        : { phase: row.ended_phase, reason: row.ended_reason, message: row.ended_message, at: row.task_ended_at },
    parked:
      row.parked_at === null
        ? undefined
        : { reason: row.parked_reason, message: row.parked_message, at: row.parked_at },
    waiting:
      row.waiting_reason === null
        ? undefined
        : {
            reason: row.waiting_reason,
            position: row.waiting_position ?? undefined,
            until: row.waiting_until ?? undefined,
          },
  };
}

function withoutNulls(asset: Nullable<AssetStatus>): AssetStatus {
  return Object.fromEntries(Object.entries(asset).filter(([, value]) => value !== null)) as AssetStatus;
}
