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
select task.uid, task.spec_hash, task.ended_phase, task.ended_reason, task.parked_reason, task.parked_message,
       exists (select from genop.attempts where task_key = task.key and state <> 'ended') as live
  from genop.tasks task where task.key = $1 for update of task`;

/** Registers the task if it is not there, and locks its row. StaleMark when the record belongs to another object. */
export async function registered(transaction: FencedTransaction, registration: Registration): Promise<TaskRow> {
  const { key, name, namespace, specHash, uid } = registration;
  await transaction.rows(
    `insert into genop.tasks (key, uid, namespace, name, spec_hash) values ($1, $2, $3, $4, $5)
     on conflict (key) do nothing`,
    [key, uid, namespace, name, specHash],
  );
  const [row] = await transaction.rows<TaskRow>(LOCK, [key]);
  if (row?.uid !== uid) throw new StaleMark();
  return row;
}
