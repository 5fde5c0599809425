// A task's row: registered with its first transaction, locked by every later one that changes what the task is.
// Locks are taken in one order everywhere: term, task, attempt, rate, balances.
import type { Registration } from "../reconcile/ports.ts";
import { StaleMark } from "./fence.ts";
import type { FencedTransaction } from "./fence.ts";

export interface TaskRow {
  readonly uid: string;
  readonly spec_hash: string;
  readonly ended_phase: string | null;
  readonly ended_reason: string | null;
  readonly parked_reason: string | null;
  readonly parked_message: string | null;
  readonly live: boolean;
}

const LOCK = `
select uid, spec_hash, ended_phase, ended_reason, parked_reason, parked_message
  from genop.tasks where key = $1 for update`;

/** Registers the task if it is not there, and locks its row. StaleMark when the record belongs to another object. */
export async function registered(transaction: FencedTransaction, registration: Registration): Promise<TaskRow> {
  const { key, name, namespace, specHash, uid } = registration;
  await transaction.rows(
    `insert into genop.tasks (key, uid, namespace, name, spec_hash) values ($1, $2, $3, $4, $5)
     on conflict (key) do nothing`,
    [key, uid, namespace, name, specHash],
  );
  const [row] = await transaction.rows<Omit<TaskRow, "live">>(LOCK, [key]);
  if (row?.uid !== uid) throw new StaleMark();
  // A statement of its own: the one that waited for the lock still sees what was before the wait.
  const live = await transaction.count("select from genop.attempts where task_key = $1 and state <> 'ended'", [key]);
  return { ...row, live: live > 0 };
}
