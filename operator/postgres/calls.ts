// The log of provider calls is evidence for people, and bounded: what is old and belongs to an ended attempt goes.
import type { Pool } from "pg";
import type { Stale } from "../reconcile/ports.ts";
import { inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";

export interface Pruning {
  readonly olderThanMs: number;
  /** Rows deleted in one transaction; call again while as many were deleted. */
  readonly atMost: number;
}

const PRUNE = `
delete from genop.calls where id in (
  select call.id from genop.calls call join genop.attempts attempt on attempt.id = call.attempt_id
   where call.started_at < now() - $1 * interval '1 millisecond' and attempt.state = 'ended'
   order by call.started_at limit $2)`;

/** Deletes old calls of ended attempts; answers how many. */
export async function pruneCalls(
  pool: Pool,
  fence: Fence,
  { atMost, olderThanMs }: Pruning,
  signal: AbortSignal,
): Promise<{ readonly outcome: "done"; readonly deleted: number } | Stale> {
  const work = async (transaction: FencedTransaction) => ({
    outcome: "done" as const,
    deleted: await transaction.count(PRUNE, [olderThanMs, atMost]),
  });
  return inTransaction(pool, fence, work, signal);
}
