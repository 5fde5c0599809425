// The hash of a block of ledger transactions: what is hashed, and how. The one encoding for who seals and who verifies, and it
// never changes: another one would be another version of it, by the block's number. No I/O but reading the rows.
import { createHash } from "node:crypto";
import type { Move } from "./ledger.ts";

/** What stands before the first block. */
export const GENESIS = "0".repeat(64);
const VERSION = "genop-ledger-block-1";

/** Account number, tenant or null, kind, asset, amount, version and balance after it (tenant accounts only). */
export type ChainedEntry = readonly [
  account: string,
  namespace: string | null,
  kind: Move["account"] | null,
  asset: string,
  amount: string,
  version: string | null,
  balanceAfter: string | null,
];

/** A ledger transaction with all that it says. Numbers as text: they are hashed, not reckoned with. */
export interface ChainedTransaction {
  readonly id: bigint;
  readonly namespace: string;
  readonly operation: string;
  readonly business_id: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly fingerprint: string;
  readonly entry_count: number;
  readonly epoch: bigint;
  /** Microseconds, UTC. */
  readonly posted_at: string;
  readonly entries: readonly ChainedEntry[];
  /** Of the hold that it placed: its attempt and amount. */
  readonly hold: readonly string[] | null;
  /** Of the hold that it resolved: held, settled, released, excess. */
  readonly resolution: readonly string[] | null;
}

/** The transactions of a block, in their order; `$1` their numbers. */
export const CHAINED = `
select header.id, header.namespace, header.operation, header.business_id, header.inputs, header.fingerprint,
       header.entry_count, header.epoch,
       to_char(header.posted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as posted_at,
       (select coalesce(json_agg(json_build_array(entry.account_id::text, account.namespace, account.kind, entry.asset,
                                                  entry.amount::text, entry.account_version::text, entry.balance_after::text)
                                 order by entry.account_id), '[]')
          from genop.entries entry left join genop.accounts account on account.id = entry.account_id
         where entry.transaction_id = header.id) as entries,
       (select json_build_array(attempt_id::text, amount::text) from genop.holds
         where attempt_id = case header.operation when 'hold' then header.business_id::uuid end
           and transaction_id = header.id) as hold,
       (select json_build_array(held::text, settled::text, released::text, excess::text) from genop.hold_resolutions
         where attempt_id = case header.operation when 'resolve' then header.business_id::uuid end
           and transaction_id = header.id) as resolution
  from genop.ledger_transactions header
 where header.id = any($1::bigint[])
 order by header.id`;

/** The hash that seals these transactions, in this order, as block `number` after `previousHash`. */
export function blockHash(number: bigint, previousHash: string, transactions: readonly ChainedTransaction[]): string {
  const hash = createHash("sha256").update(`${VERSION}\n${number}\n${previousHash}\n`);
  for (const transaction of transactions) hash.update(`${lineOf(transaction)}\n`);
  return hash.digest("hex");
}

function lineOf(transaction: ChainedTransaction): string {
  const { business_id, entries, entry_count, epoch, fingerprint, hold, id, inputs, namespace, operation } = transaction;
  return JSON.stringify([
    id.toString(),
    namespace,
    operation,
    business_id,
    Object.entries(inputs).sort(([one], [other]) => (one < other ? -1 : 1)),
    fingerprint,
    entry_count,
    epoch.toString(),
    transaction.posted_at,
    entries,
    hold,
    transaction.resolution,
  ]);
}
