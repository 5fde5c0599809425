// Jobs that somebody named for a submit without an answer, and attempts that lost books are given again for a person to bind one.
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { ClaimLook, Noted, RecoverOutcome, Recovering } from "../reconcile/ports.ts";
import type { AttemptIn } from "../task/attempt.ts";
import type { AttemptId } from "../task/brand.ts";
import { insertAttempt, lockAvailable } from "./begin.ts";
import { StaleMark, inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { placeHold } from "./ledger.ts";
import { factsIn } from "./load.ts";
import { moved, note } from "./mark.ts";
import { registered } from "./registration.ts";

const CLAIM_LOOK = `
with attempt as (
  update genop.attempts set search_next_at = clock_timestamp() + $4 * interval '1 millisecond'
   where id = $1 and state = 'sent'
  returning id
)
update genop.claims
   set looks = looks + 1, refused_at = case when $3 then coalesce(refused_at, clock_timestamp()) else refused_at end
 where attempt_id = (select id from attempt) and job_id = $2
returning job_id`;

/** See `Books.noteClaim`. */
export async function noteClaim(
  pool: Pool,
  fence: Fence,
  { id }: AttemptIn<"sent">,
  { jobId, nextAfterMs, refused }: ClaimLook,
): Promise<Noted> {
  const values = [id, jobId, refused, nextAfterMs];
  return note(pool, fence, { statement: CLAIM_LOOK, values });
}

// An answer that nobody has any more: its deadline has passed, whenever that was.
const SENT_ONCE = `
update genop.attempts
   set state = 'sent', sent_at = clock_timestamp(), deadline = clock_timestamp(),
       ambiguity_code = $3, ambiguity_at = clock_timestamp(), blocked_by = null
 where task_key = $1 and number = $2 and state = 'intended'
returning id`;

/** See `Books.recover`. Only for a task that is parked because its record is missing. */
export async function recover(
  pool: Pool,
  fence: Fence,
  recovering: Recovering,
  signal: AbortSignal,
): Promise<RecoverOutcome> {
  const work = async (transaction: FencedTransaction): Promise<RecoverOutcome> => {
    const { decidedNumber, estimate, key, namespace } = recovering;
    const task = await registered(transaction, recovering);
    if (task.ended_phase !== null || task.parked_reason !== "RecordMissing") throw new StaleMark();
    if (!task.live) {
      if ((await lockAvailable(transaction, namespace)) < estimate) return { outcome: "short", changed: false };
      const attemptId = randomUUID() as AttemptId;
      await insertAttempt(transaction, attemptId, { ...recovering, decidedNumber: decidedNumber - 1 });
      await placeHold(transaction, { attemptId, namespace, amount: estimate });
    }
    await moved(transaction, SENT_ONCE, [key, decidedNumber, "record-missing"]);
    return { outcome: "begun", facts: await factsIn(transaction, { key }) };
  };
  return inTransaction(pool, fence, work, signal);
}
