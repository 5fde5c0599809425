// Whose objects must still exist: the owners of attempts that have not ended.
import type { Pool } from "pg";
import type { Owner } from "../reconcile/ports.ts";
import { readRows } from "./transaction.ts";

const OWNERS = `
select task.key, task.uid, task.namespace, task.name
  from genop.attempts attempt join genop.tasks task on task.key = attempt.task_key
 where attempt.state <> 'ended' and attempt.task_key > $1
 order by attempt.task_key
 limit $2`;

/** The next page of them in the order of their keys, after `afterKey` ("" to begin with). */
export async function liveOwners(
  pool: Pool,
  afterKey: string,
  atMost: number,
  signal: AbortSignal,
): Promise<readonly Owner[]> {
  return readRows<Owner>(pool, OWNERS, [afterKey, atMost], signal);
}
