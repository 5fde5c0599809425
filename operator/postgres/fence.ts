// Terms of leadership, one a shard. A Lease in Kubernetes does not stop a process that was frozen while it held it; this does:
// every writing transaction proves inside itself that its term is the current one.
import type { Pool, PoolClient, QueryResult } from "pg";
import type { Stale } from "../reconcile/ports.ts";
import type { Epoch } from "../task/brand.ts";
import { faultOf } from "./faults.ts";
import { NUMBERS_LOCK, shardLock } from "./locks.ts";
import { BEGIN, inPlainTransaction, runOnce, statementsOn, withRetries } from "./transaction.ts";
import type { Transaction } from "./transaction.ts";

/** The term this process leads in; undefined while it does not lead. */
export interface Fence {
  (): Epoch | undefined;
  /** Which shard the term is of. Default: 0, the only one where nothing is sharded. */
  readonly shard?: number;
  /** Told when the database knows a later term than ours. */
  readonly superseded?: () => void;
}

/** What a term is of: one of so many shards. */
export interface Seat {
  readonly shard: number;
  readonly shards: number;
}

export const ONLY_SEAT: Seat = { shard: 0, shards: 1 };
/** Rows of genop.leadership that there may be. */
export const MAX_SHARDS = 64;

/** A transaction of a term that is current until it ends. */
export interface FencedTransaction extends Transaction {
  readonly epoch: Epoch;
}

export const STALE: Stale = { outcome: "stale" };

/** Thrown by a step whose row was not as expected: the transaction rolls back and answers "stale". */
export class StaleMark extends Error {
  constructor() {
    super("the row is no longer in the state that was seen");
    this.name = "StaleMark";
  }
}

const TAKEOVER_LOCK_TIMEOUT = "9s"; // above the time after which a frozen writer loses its locks

/**
 * Runs `work` in a transaction of the current term; "stale", with nothing written, when the term is over or `work`
 * throws StaleMark. Conflicts are retried: `work` must do nothing but statements.
 */
export async function inTransaction<T>(
  pool: Pool,
  fence: Fence,
  work: (transaction: FencedTransaction) => Promise<T>,
  signal?: AbortSignal,
): Promise<T | Stale> {
  const epoch = fence();
  if (epoch === undefined) return STALE;
  const fenced = async (client: PoolClient): Promise<T> => {
    if ((await currentEpoch(client, fence.shard ?? 0)) !== epoch) {
      fence.superseded?.();
      throw new StaleMark();
    }
    return work({ ...statementsOn(client), epoch });
  };
  try {
    return await withRetries(() => runOnce(pool, fenced, signal), signal);
  } catch (error) {
    if (error instanceof StaleMark) return STALE;
    throw error;
  }
}

/** Opens the transaction and reads the term under the lock: three statements, each with its own snapshot, in one message. */
async function currentEpoch(client: PoolClient, shard: number): Promise<bigint | undefined> {
  const row = String(Math.trunc(shard));
  const read = `select epoch from genop.leadership where shard = ${row}`;
  const text = `${BEGIN}; select pg_advisory_xact_lock_shared(${shardLock(row)}); ${read}`;
  try {
    const results = (await client.query(text)) as unknown as readonly QueryResult<{ epoch: bigint }>[];
    return results[2]?.rows[0]?.epoch;
  } catch (error) {
    throw faultOf(error);
  }
}

/**
 * Begins a new term: what an earlier term of the shard has not committed by now, it never will. The first term under another
 * number of shards ends the terms of all: no two leaders with different numbers are valid at once.
 * Waits for the writers that are inside a transaction at this moment; the pool's limits bound that.
 */
export async function acquireEpoch(
  pool: Pool,
  holder: string,
  signal?: AbortSignal,
  seat: Seat = ONLY_SEAT,
): Promise<Epoch> {
  const alone = await inPlainTransaction(pool, (transaction) => beginAlone(transaction, holder, seat), signal);
  return alone ?? inPlainTransaction(pool, (transaction) => beginAmongAll(transaction, holder, seat), signal);
}

/** How many shards the terms in force are of. */
export async function shardsInForce(pool: Pool, signal?: AbortSignal): Promise<number> {
  return inPlainTransaction(pool, readShards, signal);
}

async function readShards(transaction: Transaction): Promise<number> {
  const [row] = await transaction.rows<{ shards: number }>("select shards from genop.leadership where shard = 0");
  if (!row) throw new Error("cannot begin a term: genop.leadership has lost its row");
  return row.shards;
}

// Numbers are unique over all shards: one names its term wherever it is written down.
const NEXT_NUMBER = "(select max(epoch) from genop.leadership)";
const BEGIN_ONE = `
update genop.leadership set epoch = ${NEXT_NUMBER} + 1, holder = $1, since = clock_timestamp()
 where shard = $2 returning epoch`;
const BEGIN_ALL = `
update genop.leadership
   set epoch = ${NEXT_NUMBER} + 1 + leadership.shard, holder = 'nobody', since = clock_timestamp(), shards = $1`;
const ADD_MISSING = `
insert into genop.leadership (shard, shards, epoch, holder)
select shard, $1, ${NEXT_NUMBER} + 1 + shard, 'nobody' from generate_series(0, $1 - 1) as shard
on conflict do nothing`;

/** Undefined, with nothing changed, when the terms in force are of another number of shards. */
async function beginAlone(transaction: Transaction, holder: string, seat: Seat): Promise<Epoch | undefined> {
  await transaction.rows(`set local lock_timeout = '${TAKEOVER_LOCK_TIMEOUT}'`);
  await transaction.rows(`select pg_advisory_xact_lock(${shardLock("$1::integer")})`, [seat.shard]);
  await transaction.rows(`select pg_advisory_xact_lock(${NUMBERS_LOCK})`);
  return (await readShards(transaction)) === seat.shards ? beginOne(transaction, holder, seat) : undefined;
}

/** Under the locks of all shards, in one order. Nobody else numbers a term meanwhile: that takes the lock of a shard first. */
async function beginAmongAll(transaction: Transaction, holder: string, seat: Seat): Promise<Epoch> {
  await transaction.rows(`set local lock_timeout = '${TAKEOVER_LOCK_TIMEOUT}'`);
  await transaction.rows(
    `select pg_advisory_xact_lock(${shardLock("shard")}) from generate_series(0, ${MAX_SHARDS - 1}) as shard`,
  );
  if ((await readShards(transaction)) !== seat.shards) {
    await transaction.rows(BEGIN_ALL, [seat.shards]);
    await transaction.rows(ADD_MISSING, [seat.shards]);
  }
  return beginOne(transaction, holder, seat);
}

async function beginOne(transaction: Transaction, holder: string, { shard }: Seat): Promise<Epoch> {
  const [term] = await transaction.rows<{ epoch: bigint }>(BEGIN_ONE, [holder, shard]);
  if (!term) throw new Error(`cannot begin a term: genop.leadership has no row of shard ${shard}`);
  return term.epoch as Epoch;
}
