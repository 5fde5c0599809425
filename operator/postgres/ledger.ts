// The double-entry ledger: what a grant, a hold and its resolution move, and the one statement that posts it.
// Amounts are signed, credit is positive; every transaction sums to zero, which Postgres checks at commit.
import { createHash } from "node:crypto";
import type { AttemptId, MicroCredits } from "../task/brand.ts";
import { PostgresFault } from "./faults.ts";
import type { FencedTransaction } from "./fence.ts";
import type { Prepared } from "./transaction.ts";

export type TenantAccount = "available" | "held";
export type PlatformAccount = "grants" | "revenue" | "provider-cost" | "provider-payable" | "loss";
export interface Move {
  readonly account: TenantAccount | PlatformAccount;
  readonly amount: bigint;
}

/** One posting. `businessId` is unique per tenant and operation: the same again, with the same inputs, is a replay. */
export interface Posting {
  readonly namespace: string;
  readonly operation: "grant" | "hold" | "resolve" | "usage" | "late" | "refund" | "write-off";
  readonly businessId: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly moves: readonly Move[];
}

export interface Posted {
  readonly transactionId: bigint;
  /** True when the transaction was there before. */
  readonly replayed: boolean;
}

/** How a hold ends: what of it the tenant pays, what returns, and what the platform loses beyond it. */
export interface Resolution {
  readonly settled: bigint;
  readonly released: bigint;
  readonly excess: bigint;
}

/** Splits a charge over a hold: the tenant never pays more than was held. */
export function resolutionOf(held: MicroCredits, charge: MicroCredits): Resolution {
  const settled = charge < held ? charge : held;
  return { settled, released: held - settled, excess: charge - settled };
}

/** The tenant pays revenue; what the provider is owed is cost as far as it was paid for, and loss beyond. */
export function movesOfResolution({ excess, released, settled }: Resolution): readonly Move[] {
  return withoutZeros([
    { account: "held", amount: -(settled + released) },
    { account: "available", amount: released },
    { account: "revenue", amount: settled },
    { account: "provider-cost", amount: -settled },
    { account: "loss", amount: -excess },
    { account: "provider-payable", amount: settled + excess },
  ]);
}

function withoutZeros(moves: readonly Move[]): readonly Move[] {
  return moves.filter(({ amount }) => amount !== 0n);
}

// Entries are inserted in the order of their accounts: the trigger locks each tenant balance as it comes, and a fixed order
// is what keeps two transactions from waiting for each other.
const POST: Prepared = {
  name: "post_entries",
  text: `
with header as (
  insert into genop.ledger_transactions (namespace, operation, business_id, inputs, fingerprint, entry_count, epoch)
  values ($1, $2, $3, $4, $5, cardinality($6::text[]), $8)
  on conflict on constraint ledger_business_key do nothing
  returning id
), posted as (
  insert into genop.entries (transaction_id, account_id, asset, amount)
  select header.id, account.id, account.asset, move.amount
    from header, unnest($6::text[], $7::bigint[]) as move (kind, amount)
    join genop.accounts account
      on account.kind = move.kind and (account.namespace = $1 or account.namespace is null) and account.asset = 'credit'
   order by account.id
)
select id from header`,
};

/** Posts once. KEY_REUSED, naming the field, when the business key stands for other inputs. */
export async function post(transaction: FencedTransaction, posting: Posting): Promise<Posted> {
  const { businessId, inputs, moves, namespace, operation } = posting;
  const text = JSON.stringify(inputs, Object.keys(inputs).sort());
  const fingerprint = createHash("sha256").update(text).digest("hex");
  const [header] = await transaction.rows<{ id: bigint }>(POST, [
    namespace,
    operation,
    businessId,
    text,
    fingerprint,
    moves.map(({ account }) => account),
    moves.map(({ amount }) => amount.toString()),
    transaction.epoch,
  ]);
  if (header) return { transactionId: header.id, replayed: false };
  return replay(transaction, posting, fingerprint);
}

async function replay(transaction: FencedTransaction, posting: Posting, fingerprint: string): Promise<Posted> {
  const [original] = await transaction.rows<{ id: bigint; fingerprint: string; inputs: Record<string, string> }>(
    `select id, fingerprint, inputs from genop.ledger_transactions
      where namespace = $1 and operation = $2 and business_id = $3`,
    [posting.namespace, posting.operation, posting.businessId],
  );
  if (!original) throw new Error("cannot replay a ledger transaction: it is not there");
  if (original.fingerprint === fingerprint) return { transactionId: original.id, replayed: true };
  throw new PostgresFault("KEY_REUSED", { about: differingField(original.inputs, posting.inputs) });
}

function differingField(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.find((name) => before[name] !== now[name]) ?? "inputs";
}

/** Moves credits from available to held, and keeps the hold. The balance must have been locked and found sufficient. */
export async function placeHold(
  transaction: FencedTransaction,
  hold: { readonly attemptId: AttemptId; readonly namespace: string; readonly amount: MicroCredits },
): Promise<void> {
  const { amount, attemptId, namespace } = hold;
  const moves: readonly Move[] = [
    { account: "available", amount: 0n - amount },
    { account: "held", amount },
  ];
  const inputs = { amount: amount.toString() };
  const posted =
    amount > 0n && (await post(transaction, { namespace, operation: "hold", businessId: attemptId, inputs, moves }));
  await transaction.rows(
    "insert into genop.holds (attempt_id, namespace, amount, transaction_id) values ($1, $2, $3, $4)",
    [attemptId, namespace, amount, posted ? posted.transactionId : null],
  );
}

/** Settles and releases a hold, once: a second resolution is refused by its key. */
export async function resolveHold(
  transaction: FencedTransaction,
  hold: { readonly attemptId: AttemptId; readonly namespace: string; readonly amount: MicroCredits },
  charge: MicroCredits,
): Promise<void> {
  const { amount, attemptId, namespace } = hold;
  const resolution = resolutionOf(amount, charge);
  const moves = movesOfResolution(resolution);
  const inputs = { held: amount.toString(), charge: charge.toString() };
  const posted =
    moves.length > 0 &&
    (await post(transaction, { namespace, operation: "resolve", businessId: attemptId, inputs, moves }));
  await transaction.rows(
    `insert into genop.hold_resolutions (attempt_id, held, settled, released, excess, transaction_id)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      attemptId,
      amount,
      resolution.settled,
      resolution.released,
      resolution.excess,
      posted ? posted.transactionId : null,
    ],
  );
}
