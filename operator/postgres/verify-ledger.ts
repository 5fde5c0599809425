// Verifies the ledger from outside: reads every block and what it seals, and computes every hash anew. Reads only.
// It believes nothing that the database could have been told to say: neither its triggers nor its functions.
import { createHash } from "node:crypto";
import type { Pool } from "pg";
import { CHAINED, GENESIS, blockHash } from "./chain.ts";
import type { ChainedTransaction } from "./chain.ts";
import { checkSchema, readMigrations } from "./migrate.ts";
import { makeReports } from "./reports.ts";
import type { ReportCount } from "./reports.ts";
import type { Head } from "./seal.ts";
import { readRows } from "./transaction.ts";

/** The first thing in the chain that is not as it was sealed. */
export interface Break {
  /** Undefined when the whole chain holds, and something is beside it. */
  readonly block: bigint | undefined;
  readonly why: string;
  /** The transactions in question, a few of them, where that can be told. */
  readonly transactions: readonly bigint[];
}

export interface Verification {
  readonly blocks: number;
  /** Transactions whose seal was found whole. */
  readonly transactions: number;
  /** Posted lately, and not in a block yet: not an error. */
  readonly unsealed: number;
  /** The last block that holds. */
  readonly head: Head | undefined;
  readonly broken: Break | undefined;
  /** The reports that must be empty and are not. */
  readonly reports: readonly ReportCount[];
}

interface Block {
  readonly number: bigint;
  readonly previous_hash: string;
  readonly hash: string;
  /** An array of theirs comes as text, whatever its elements. */
  readonly transaction_ids: readonly string[];
}

const SHOWN = 5;
const BLOCK = `
select number, previous_hash, hash, transaction_ids::text[] from genop.ledger_blocks where number > $1 order by number limit 1`;
const BESIDE = `
select count(*)::integer as posted,
       (select count(*) from genop.ledger_blocks, unnest(transaction_ids))::integer as sealed,
       (select count(distinct id) from genop.ledger_blocks, unnest(transaction_ids) as id)::integer as different
  from genop.ledger_transactions`;
const FORGOTTEN = `
select id from genop.ledger_transactions header
 where posted_at < now() - interval '1 hour'
   and not exists (select from (select unnest(transaction_ids) as id from genop.ledger_blocks) sealed where sealed.id = header.id)
 order by id limit $1`;

/**
 * Walks the chain from its beginning and stops at the first block that does not hold. `anchors` are heads that were noted
 * elsewhere before: each must still be in the chain. PostgresFault when the database can't be read.
 */
export async function verifyLedger(pool: Pool, anchors: readonly Head[], signal: AbortSignal): Promise<Verification> {
  await checkSchema(pool, await readMigrations(), signal);
  const walked = await walk(pool, anchors, signal);
  const beside = walked.broken ? { unsealed: 0, broken: walked.broken } : await lookBeside(pool, signal);
  const reports = (await makeReports(pool).run(signal)).filter(({ rows }) => rows > 0);
  return { ...walked, ...beside, reports };
}

type Walked = Pick<Verification, "blocks" | "transactions" | "head" | "broken">;

async function walk(pool: Pool, anchors: readonly Head[], signal: AbortSignal): Promise<Walked> {
  let walked: Walked = { blocks: 0, transactions: 0, head: undefined, broken: undefined };
  for (;;) {
    const [block] = await readRows<Block>(pool, BLOCK, [walked.head?.number ?? 0n], signal);
    if (!block) return { ...walked, broken: missingAnchor(anchors, walked.head) };
    const { number, transaction_ids: ids } = block;
    const transactions = await readRows<ChainedTransaction>(pool, CHAINED, [ids], signal);
    const broken = breakOf(block, transactions, { previous: walked.head, anchors });
    if (broken) return { ...walked, broken };
    walked = {
      blocks: walked.blocks + 1,
      transactions: walked.transactions + ids.length,
      head: { number, hash: block.hash },
      broken: undefined,
    };
  }
}

interface Before {
  readonly previous: Head | undefined;
  readonly anchors: readonly Head[];
}

function breakOf(
  block: Block,
  transactions: readonly ChainedTransaction[],
  { anchors, previous }: Before,
): Break | undefined {
  const broken = (why: string, ids: readonly bigint[] = []): Break => ({
    block: block.number,
    why,
    transactions: ids.slice(0, SHOWN),
  });
  const expected = (previous?.number ?? 0n) + 1n;
  if (block.number !== expected) return { block: expected, why: "the block is missing", transactions: [] };
  const found = new Set(transactions.map(({ id }) => id));
  const missing = block.transaction_ids.map(BigInt).filter((id) => !found.has(id));
  if (missing.length > 0) return broken("transactions that it sealed are gone", missing);
  const wrong = transactions.filter((one) => !isWhole(one)).map(({ id }) => id);
  if (wrong.length > 0) return broken("transactions in it are not whole: entries or inputs were changed", wrong);
  const why = unsealedBy(block, transactions, { anchors, previous });
  return why === undefined ? undefined : broken(why);
}

/** Why the seal of these transactions does not hold, whole as they may be. */
function unsealedBy(
  { hash, number, previous_hash }: Block,
  transactions: readonly ChainedTransaction[],
  { anchors, previous }: Before,
): string | undefined {
  const previousHash = previous?.hash ?? GENESIS;
  if (previous_hash !== previousHash) return "it does not follow from the block before";
  if (blockHash(number, previousHash, transactions) !== hash)
    return "its hash is not that of its content: a transaction, or the block, was changed";
  const isOther = anchors.some((anchor) => anchor.number === number && anchor.hash !== hash);
  return isOther ? "it is not the block that was noted: the chain was written anew" : undefined;
}

/** What can be told of a transaction by itself, so that the change is found and not only the block. */
function isWhole({ entries, entry_count, fingerprint, inputs }: ChainedTransaction): boolean {
  const sums = new Map<string, bigint>();
  for (const [, , , asset, amount] of entries) sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(amount));
  const text = JSON.stringify(inputs, Object.keys(inputs).sort());
  return (
    entries.length === entry_count &&
    [...sums.values()].every((sum) => sum === 0n) &&
    createHash("sha256").update(text).digest("hex") === fingerprint
  );
}

/** A noted block beyond the end: the chain was cut off. */
function missingAnchor(anchors: readonly Head[], head: Head | undefined): Break | undefined {
  const beyond = anchors.find(({ number }) => number > (head?.number ?? 0n));
  return beyond && { block: beyond.number, why: "the block was noted, and is missing", transactions: [] };
}

/** Transactions that no block has though it should, or that two have. */
async function lookBeside(pool: Pool, signal: AbortSignal): Promise<Pick<Verification, "unsealed" | "broken">> {
  const [counts] = await readRows<{ posted: number; sealed: number; different: number }>(pool, BESIDE, [], signal);
  const { different = 0, posted = 0, sealed = 0 } = counts ?? {};
  const unsealed = posted - different;
  if (sealed !== different)
    return { unsealed, broken: { block: undefined, why: "two blocks seal the same transaction", transactions: [] } };
  const forgotten = await readRows<{ id: bigint }>(pool, FORGOTTEN, [SHOWN], signal);
  if (forgotten.length === 0) return { unsealed, broken: undefined };
  const why = "transactions older than an hour are in no block";
  return { unsealed, broken: { block: undefined, why, transactions: forgotten.map(({ id }) => id) } };
}
