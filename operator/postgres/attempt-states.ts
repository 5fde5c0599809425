// Which attempts are at work and which are over: what the sweep of object storage must leave alone, and what it may take.
import type { Pool } from "pg";
import { readRows } from "./transaction.ts";

const STATES = "select id, state = 'ended' as ended from genop.attempts where id = any($1::uuid[])";

/** By id. An id that no attempt has is absent: it may be another installation's. */
export async function attemptStates(
  pool: Pool,
  attemptIds: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, "live" | "ended">> {
  const rows = await readRows<{ readonly id: string; readonly ended: boolean }>(pool, STATES, [attemptIds], signal);
  return new Map(rows.map(({ ended, id }) => [id, ended ? "ended" : "live"]));
}
