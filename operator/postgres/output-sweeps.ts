// Which attempts are over and may still have something in object storage that their books do not list.
import type { Pool } from "pg";
import type { Noted } from "../reconcile/ports.ts";
import type { AttemptId, TaskKey } from "../task/brand.ts";
import { inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { readRows } from "./transaction.ts";

/** An attempt that is over: what it has published is known, and changes no more. */
export interface DueSweep {
  readonly attemptId: AttemptId;
  readonly taskKey: TaskKey;
  /** The names of its assets. */
  readonly listed: readonly string[];
  /** As the database writes it: to the last digit, to go on after it. */
  readonly dueAt: string;
}

const DUE = `
select sweep.attempt_id as "attemptId", attempt.task_key as "taskKey", sweep.due_at::text as "dueAt",
       array(select name from genop.assets asset where asset.attempt_id = sweep.attempt_id) as listed
  from genop.output_sweeps sweep join genop.attempts attempt on attempt.id = sweep.attempt_id
 where sweep.due_at <= statement_timestamp()
   and (sweep.due_at, sweep.attempt_id) > (coalesce($1::timestamptz, '-infinity'), coalesce($2::uuid, '00000000-0000-0000-0000-000000000000'))
 order by sweep.due_at, sweep.attempt_id
 limit $3`;

/** The next that are due after this one, the longest due first. Needs no leadership. */
export async function dueSweeps(
  pool: Pool,
  { after, atMost }: { readonly after: DueSweep | undefined; readonly atMost: number },
  signal: AbortSignal,
): Promise<readonly DueSweep[]> {
  return readRows<DueSweep>(pool, DUE, [after?.dueAt ?? null, after?.attemptId ?? null, atMost], signal);
}

// One that was due within the hour is due once more at its end: a deposed leader's last call has arrived by then, or never will.
const SWEPT = `
with over as (
  delete from genop.output_sweeps
   where attempt_id = any($1::uuid[]) and due_at >= begun_at + interval '1 hour'
)
update genop.output_sweeps set due_at = begun_at + interval '1 hour'
 where attempt_id = any($1::uuid[]) and due_at < begun_at + interval '1 hour'`;

// So that those that can't be swept do not stand before all others for ever.
const POSTPONED = `
update genop.output_sweeps set due_at = clock_timestamp() + interval '10 minutes' where attempt_id = any($1::uuid[])`;

export interface SweepResults {
  readonly swept: readonly AttemptId[];
  /** To be tried again later. */
  readonly unswept: readonly AttemptId[];
}

/** What became of those that were due. */
export async function noteSwept(
  pool: Pool,
  fence: Fence,
  { swept, unswept }: SweepResults,
  signal: AbortSignal,
): Promise<Noted> {
  const work = async (transaction: FencedTransaction): Promise<Noted> => {
    await transaction.count(SWEPT, [swept]);
    await transaction.count(POSTPONED, [unswept]);
    return { outcome: "done" };
  };
  return inTransaction(pool, fence, work, signal);
}
