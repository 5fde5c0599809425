// Seals ledger transactions into the hash chain, after the fact: a block at a time, each in a transaction of its own.
// It changes nothing of what it seals, and nothing waits for it.
import type { Pool } from "pg";
import type { Stale } from "../reconcile/ports.ts";
import { CHAINED, GENESIS, blockHash } from "./chain.ts";
import type { ChainedTransaction } from "./chain.ts";
import { STALE, inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { SEAL_LOCK } from "./locks.ts";

export interface Head {
  readonly number: bigint;
  readonly hash: string;
}

export interface Sealed {
  readonly outcome: "done";
  /** How many transactions were sealed now. */
  readonly transactions: number;
  /** The newest block of now. Kept elsewhere, it is what shows that the whole chain was not written anew. */
  readonly head: Head | undefined;
}

const BLOCK_LENGTH = 1000;
// What a round seals at most: the rest is for the next one.
const MAX_BLOCKS = 200;
// A transaction takes its number before it commits. After this time, many times longer than any may last, none is still to come.
const LATEST_SECONDS = 600;

/** Seals what has been posted and is in no block yet. One at a time: who finds another at it does nothing. */
export async function sealLedger(pool: Pool, fence: Fence, signal: AbortSignal): Promise<Sealed | Stale> {
  let transactions = 0;
  let head: Head | undefined;
  for (let blocks = 0; blocks < MAX_BLOCKS; blocks += 1) {
    const block = await inTransaction(pool, fence, sealBlock, signal);
    if (block === "nothing") break;
    if ("outcome" in block) return STALE;
    transactions += block.length;
    head = block.head;
    if (block.length < BLOCK_LENGTH) break;
  }
  return { outcome: "done", transactions, head };
}

interface Block {
  readonly length: number;
  readonly head: Head;
}

async function sealBlock(transaction: FencedTransaction): Promise<Block | "nothing"> {
  const [lock] = await transaction.rows<{ free: boolean }>(`select pg_try_advisory_xact_lock(${SEAL_LOCK}) as free`);
  if (!lock?.free) return "nothing";
  const unsealed = await transaction.rows<{ id: bigint }>(UNSEALED, [LATEST_SECONDS, BLOCK_LENGTH]);
  if (unsealed.length === 0) return "nothing";
  const ids = unsealed.map(({ id }) => id);
  const [last] = await transaction.rows<Head>(
    "select number, hash from genop.ledger_blocks order by number desc limit 1",
  );
  const number = (last?.number ?? 0n) + 1n;
  const previousHash = last?.hash ?? GENESIS;
  const hash = blockHash(number, previousHash, await transaction.rows<ChainedTransaction>(CHAINED, [ids]));
  await transaction.rows(INSERT, [number, previousHash, hash, ids, transaction.epoch]);
  return { length: ids.length, head: { number, hash } };
}

// Blocks that are old enough have all there will ever be up to their greatest number; the younger ones are looked through.
const UNSEALED = `
with settled as (
  select number, sealed_through from genop.ledger_blocks
   where built_at < clock_timestamp() - make_interval(secs => $1)
   order by number desc limit 1
)
select id from genop.ledger_transactions
 where id > coalesce((select sealed_through from settled), 0)
   and id not in (select unnest(transaction_ids) from genop.ledger_blocks
                   where number > coalesce((select number from settled), 0))
 order by id limit $2`;

const INSERT = `
insert into genop.ledger_blocks (number, previous_hash, hash, transaction_ids, sealed_through, epoch)
select $1::bigint, $2, $3, $4::bigint[],
       greatest((select max(id) from unnest($4::bigint[]) as id),
                (select sealed_through from genop.ledger_blocks where number = $1::bigint - 1)),
       $5`;
