// CreditGrants in the ledger: each adds to its namespace's account once, whatever is repeated.
import type { Pool } from "pg";
import type { Stale } from "../reconcile/ports.ts";
import type { MicroCredits } from "../task/brand.ts";
import { PostgresFault } from "./faults.ts";
import { inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { post } from "./ledger.ts";
import type { Posted } from "./ledger.ts";
import { refund } from "./refunds.ts";
import type { RefundOutcome, RefundedAttempt } from "./refunds.ts";

export interface Grant {
  /** The object's UID: the business key. */
  readonly uid: string;
  readonly namespace: string;
  /** More than zero. */
  readonly amount: MicroCredits;
  readonly reason: string;
  /** Given back of what this attempt settled; undefined: new credits. */
  readonly refund?: RefundedAttempt | undefined;
}

export type GrantOutcome =
  | RefundOutcome
  /** A grant with this UID was applied with another value of `field`. Nothing is changed. */
  | { readonly outcome: "other-input"; readonly field: string }
  | Stale;

export interface Grants {
  apply(grant: Grant, signal: AbortSignal): Promise<GrantOutcome>;
}

/** Grants, fenced like all writing. */
export function makeGrants(pool: Pool, fence: Fence): Grants {
  return {
    apply: async (grant, signal) => {
      try {
        return await inTransaction(pool, fence, (transaction) => apply(transaction, grant), signal);
      } catch (error) {
        if (!(error instanceof PostgresFault) || error.code !== "KEY_REUSED") throw error;
        return { outcome: "other-input", field: error.about ?? "inputs" };
      }
    },
  };
}

async function apply(transaction: FencedTransaction, grant: Grant): Promise<GrantOutcome> {
  if (grant.refund) return refund(transaction, { ...grant, of: grant.refund });
  await openAccounts(transaction, grant.namespace);
  const { replayed, transactionId } = await postGrant(transaction, grant);
  if (!replayed) {
    await transaction.rows(
      "insert into genop.grants (uid, namespace, amount, reason, transaction_id) values ($1, $2, $3, $4, $5)",
      [grant.uid, grant.namespace, grant.amount, grant.reason, transactionId],
    );
  }
  return { outcome: replayed ? "already" : "applied", transactionId: transactionId.toString() };
}

// `available` gets the lower number: it is the one that is locked first everywhere.
async function openAccounts(transaction: FencedTransaction, namespace: string): Promise<void> {
  await transaction.rows(
    `insert into genop.accounts (namespace, kind)
     select $1::text, kind from unnest(array['available', 'held']) with ordinality as own (kind, place)
      where not exists (select from genop.accounts where namespace = $1 and kind = own.kind)
      order by place
     on conflict on constraint accounts_name do nothing`,
    [namespace],
  );
}

async function postGrant(transaction: FencedTransaction, { amount, namespace, reason, uid }: Grant): Promise<Posted> {
  return post(transaction, {
    namespace,
    operation: "grant",
    businessId: uid,
    inputs: { amount: amount.toString(), reason },
    moves: [
      { account: "grants", amount: 0n - amount },
      { account: "available", amount },
    ],
  });
}
