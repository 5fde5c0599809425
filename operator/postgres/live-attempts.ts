// Which attempts are still at work: what the sweep of object storage must leave alone.
import type { Pool } from "pg";
import { readRows } from "./transaction.ts";

const LIVE = "select id from genop.attempts where id = any($1::uuid[]) and state <> 'ended'";

/** Of these attempts, the ones that have not ended. Ids that no attempt has are not live. */
export async function liveAttempts(
  pool: Pool,
  attemptIds: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const rows = await readRows<{ readonly id: string }>(pool, LIVE, [attemptIds], signal);
  return new Set(rows.map(({ id }) => id));
}
