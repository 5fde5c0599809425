// Credits that are given back after they were settled: by a decision with an author, once, and never more than was settled.
import type { AttemptId, MicroCredits } from "../task/brand.ts";
import type { FencedTransaction } from "./fence.ts";
import { post } from "./ledger.ts";
import type { Posted } from "./ledger.ts";

export interface Refund {
  /** The object's UID: the business key. */
  readonly uid: string;
  readonly namespace: string;
  readonly amount: MicroCredits;
  readonly reason: string;
  readonly of: RefundedAttempt;
}

export interface RefundedAttempt {
  readonly taskKey: string;
  readonly attempt: number;
  /** Who decided, as they say. */
  readonly by: string;
}

export type RefundOutcome =
  | { readonly outcome: "applied" | "already"; readonly transactionId: string }
  /** No attempt of the namespace has this number, or it has not ended. Nothing is changed. */
  | { readonly outcome: "nothing-settled" }
  /** `left` is what can still be given back of it. Nothing is changed. */
  | { readonly outcome: "over-settled"; readonly left: MicroCredits };

/** In one transaction with its loss. Throws KEY_REUSED when the key stands for other inputs. */
export async function refund(transaction: FencedTransaction, refunded: Refund): Promise<RefundOutcome> {
  const settled = await lockSettled(transaction, refunded);
  if (!settled) return { outcome: "nothing-settled" };
  const { isKnown, left } = await restOf(transaction, settled, refunded.uid);
  if (!isKnown && refunded.amount > left) return { outcome: "over-settled", left };
  const [given, writtenOff] = await postBoth(transaction, refunded, settled.attemptId);
  if (given.replayed) return { outcome: "already", transactionId: given.transactionId.toString() };
  await transaction.rows(
    `insert into genop.refunds
       (uid, namespace, attempt_id, amount, reason, decided_by, transaction_id, write_off_transaction_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[refunded.uid, refunded.namespace, settled.attemptId, refunded.amount, refunded.reason, refunded.of.by],
      ...[given.transactionId, writtenOff.transactionId],
    ],
  );
  return { outcome: "applied", transactionId: given.transactionId.toString() };
}

interface Settled {
  readonly attemptId: AttemptId;
  readonly settled: bigint;
}

/** The attempt's row is locked before any balance: two refunds of it wait for each other here. */
async function lockSettled(transaction: FencedTransaction, { namespace, of }: Refund): Promise<Settled | undefined> {
  const [row] = await transaction.rows<Settled>(
    `select attempt.id as "attemptId", resolution.settled
       from genop.attempts attempt join genop.hold_resolutions resolution on resolution.attempt_id = attempt.id
      where attempt.task_key = $1 and attempt.number = $2 and attempt.namespace = $3
        for update of attempt`,
    [of.taskKey, of.attempt, namespace],
  );
  return row;
}

/** A statement of its own: the one that waited for the lock still sees what was before the wait. */
async function restOf(
  transaction: FencedTransaction,
  { attemptId, settled }: Settled,
  uid: string,
): Promise<{ readonly isKnown: boolean; readonly left: MicroCredits }> {
  const [row] = await transaction.rows<{ given: bigint; known: boolean }>(
    `select coalesce(sum(amount), 0)::bigint as given, coalesce(bool_or(uid = $2), false) as known
       from genop.refunds where attempt_id = $1`,
    [attemptId, uid],
  );
  return { isKnown: row?.known ?? false, left: (settled - (row?.given ?? 0n)) as MicroCredits };
}

/** The tenant's credits come out of revenue; what they had paid for is then paid by nobody, and is loss. */
async function postBoth(
  transaction: FencedTransaction,
  { amount, namespace, of, reason, uid }: Refund,
  attemptId: AttemptId,
): Promise<readonly [Posted, Posted]> {
  const inputs = { amount: amount.toString(), attempt: attemptId, by: of.by, reason };
  const posting = { namespace, businessId: uid, inputs };
  const given = await post(transaction, {
    ...posting,
    operation: "refund",
    moves: [
      { account: "revenue", amount: 0n - amount },
      { account: "available", amount },
    ],
  });
  const writtenOff = await post(transaction, {
    ...posting,
    operation: "write-off",
    moves: [
      { account: "provider-cost", amount },
      { account: "loss", amount: 0n - amount },
    ],
  });
  return [given, writtenOff];
}
