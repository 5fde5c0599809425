// Which attempts are at work and which are over: what the sweep of object storage must leave alone, and what it may take.
import type { Pool } from "pg";
import { readRows } from "./transaction.ts";

// The outputs of a job that turned up late may be on their way for an attempt that has ended.
const STATES = `
select id, state = 'ended' and not exists (
         select from genop.late_searches late where late.attempt_id = attempt.id and late.state = 'found') as ended
  from genop.attempts attempt where id = any($1::uuid[])`;

/** By id. An id that no attempt has is absent: it may be another installation's. */
export async function attemptStates(
  pool: Pool,
  attemptIds: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, "live" | "ended">> {
  const rows = await readRows<{ readonly id: string; readonly ended: boolean }>(pool, STATES, [attemptIds], signal);
  return new Map(rows.map(({ ended, id }) => [id, ended ? "ended" : "live"]));
}
