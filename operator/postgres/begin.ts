// The begin of an attempt: registers the task, holds the credits, makes the row, all or nothing. Nothing leaves the process here.
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { BeginOutcome, Beginning, Recovering, Waiting } from "../reconcile/ports.ts";
import type { AttemptId, TaskKey } from "../task/brand.ts";
import type { Waiting as WaitingFacts } from "../task/facts.ts";
import { StaleMark, inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { placeHold } from "./ledger.ts";
import { factsIn } from "./load.ts";
import { registered } from "./registration.ts";
import { budgetFull } from "./spending.ts";
import type { Full } from "./spending.ts";
import type { Prepared } from "./transaction.ts";

/** See `Books.begin`. */
export async function begin(
  pool: Pool,
  fence: Fence,
  beginning: Beginning,
  signal: AbortSignal,
): Promise<BeginOutcome> {
  const attemptId = randomUUID() as AttemptId;
  const work = async (transaction: FencedTransaction): Promise<BeginOutcome> => {
    const task = await registered(transaction, beginning);
    const isOpen = task.ended_phase === null && task.parked_reason === null && !task.live;
    if (!isOpen || task.spec_hash !== beginning.specHash) throw new StaleMark();
    if ((await lockAvailable(transaction, beginning.namespace)) < beginning.estimate) {
      return recordShort(transaction, beginning);
    }
    const full = await budgetFull(transaction, beginning);
    if (full) return recordOverBudget(transaction, beginning, full);
    await insertAttempt(transaction, attemptId, beginning);
    await placeHold(transaction, { attemptId, namespace: beginning.namespace, amount: beginning.estimate });
    return { outcome: "begun", facts: await factsIn(transaction, beginning) };
  };
  return inTransaction(pool, fence, work, signal);
}

/** What the namespace may spend, locked until the end of the transaction; none without an account. */
export async function lockAvailable(transaction: FencedTransaction, namespace: string): Promise<bigint> {
  const [row] = await transaction.rows<{ balance: bigint | null }>("select genop.lock_available($1) as balance", [
    namespace,
  ]);
  return row?.balance ?? 0n;
}

async function recordShort(transaction: FencedTransaction, { key }: Beginning): Promise<BeginOutcome> {
  return { outcome: "short", ...(await recordWaiting(transaction, key, "InsufficientCredits", null)) };
}

async function recordOverBudget(
  transaction: FencedTransaction,
  { key }: Beginning,
  { afterMs, until }: Full,
): Promise<BeginOutcome> {
  return { outcome: "over-budget", afterMs, ...(await recordWaiting(transaction, key, "BudgetExhausted", until)) };
}

async function recordWaiting(
  transaction: FencedTransaction,
  key: TaskKey,
  reason: WaitingFacts["reason"],
  until: Date | null,
): Promise<Waiting> {
  const changed = await transaction.count(
    `update genop.tasks set waiting_reason = $2, waiting_position = null, waiting_until = $3
      where key = $1 and (waiting_reason, waiting_until) is distinct from ($2, $3::timestamptz)`,
    [key, reason, until],
  );
  return changed === 0 ? { changed: false } : { changed: true, facts: await factsIn(transaction, { key }) };
}

const INSERT: Prepared = {
  name: "insert_attempt",
  text: `
with task as (update genop.tasks set waiting_reason = null, waiting_position = null, waiting_until = null where key = $2)
insert into genop.attempts (id, task_key, number, namespace, provider, model, priority)
select $1::uuid, $2::text, greatest(max(number), $7::integer) + 1, $3::text, $4::text, $5::text, $6::integer
  from genop.attempts where task_key = $2`,
};

/** Its number is the next above those of the task's attempts and `decidedNumber`. */
export async function insertAttempt(
  transaction: FencedTransaction,
  id: AttemptId,
  { decidedNumber, key, model, namespace, priority, provider }: Recovering,
): Promise<void> {
  await transaction.rows(INSERT, [id, key, namespace, provider, model, priority, decidedNumber]);
}
