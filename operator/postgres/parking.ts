// Tasks that wait for a person, and records that pass from one object of a wish to the next.
import type { Pool } from "pg";
import type { Registration, Written } from "../reconcile/ports.ts";
import type { TaskKey } from "../task/brand.ts";
import type { Decision } from "../task/decision.ts";
import type { Parked } from "../task/facts.ts";
import { noteDecision } from "./decisions.ts";
import { StaleMark, inTransaction } from "./fence.ts";
import type { Fence } from "./fence.ts";
import { done, mark, moved } from "./mark.ts";
import { registered } from "./registration.ts";

// Said again with the same words, the first moment stands.
const PARK = `
update genop.tasks
   set parked_at = case when (parked_reason, parked_message) is distinct from ($2, $3) then clock_timestamp() else parked_at end,
       parked_reason = $2, parked_message = $3, waiting_reason = null, waiting_position = null, waiting_until = null
 where key = $1
returning key`;

/** See `Books.park`. What is known of the attempt stays as it is. */
export async function park(
  pool: Pool,
  fence: Fence,
  registration: Registration,
  { message, reason }: Omit<Parked, "at">,
): Promise<Written> {
  return inTransaction(pool, fence, async (transaction) => {
    const task = await registered(transaction, registration);
    if (task.ended_phase !== null) throw new StaleMark();
    await moved(transaction, PARK, [registration.key, reason, message]);
    return done(transaction, registration);
  });
}

const UNPARK = `
update genop.tasks set parked_at = null, parked_reason = null, parked_message = null
 where key = $1 and parked_at is not null
returning key`;

/** See `Books.unpark`. */
export async function unpark(pool: Pool, fence: Fence, key: TaskKey, decision: Decision | undefined): Promise<Written> {
  return inTransaction(pool, fence, async (transaction) => {
    await moved(transaction, UNPARK, [key]);
    await noteDecision(transaction, key, decision);
    return done(transaction, { key });
  });
}

const ADOPT = `
update genop.tasks set uid = $2, name = $3
 where key = $1 and namespace = $4 and spec_hash = $5
returning key`;

/** See `Books.adopt`. Only for the same wish: another spec hash is "stale". */
export async function adopt(pool: Pool, fence: Fence, registration: Registration): Promise<Written> {
  const { key, name, namespace, specHash, uid } = registration;
  return mark(pool, fence, { key }, { statement: ADOPT, values: [key, uid, name, namespace, specHash] });
}
