// Terms of leadership. A Lease in Kubernetes does not stop a process that was frozen while it held it; this does:
// every writing transaction proves inside itself that its term is the current one.
import type { Pool, PoolClient, QueryResult } from "pg";
import type { Stale } from "../reconcile/ports.ts";
import type { Epoch } from "../task/brand.ts";
import { faultOf } from "./faults.ts";
import { BEGIN, inPlainTransaction, runOnce, statementsOn, withRetries } from "./transaction.ts";
import type { Transaction } from "./transaction.ts";

/** The term this process leads in; undefined while it does not lead. */
export type Fence = () => Epoch | undefined;

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

// Writers hold it shared until they end, a new term takes it alone. An advisory lock and not a lock on the row: sharing one
// hot row among all writers would write to it each time, and a stream of writers could keep a new term waiting for ever.
const TERM_LOCK = "1734700912, 1"; // "genp", the term
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
    if ((await currentEpoch(client)) !== epoch) throw new StaleMark();
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
async function currentEpoch(client: PoolClient): Promise<bigint | undefined> {
  const text = `${BEGIN}; select pg_advisory_xact_lock_shared(${TERM_LOCK}); select epoch from genop.leadership`;
  try {
    const results = (await client.query(text)) as unknown as readonly QueryResult<{ epoch: bigint }>[];
    return results[2]?.rows[0]?.epoch;
  } catch (error) {
    throw faultOf(error);
  }
}

/**
 * Begins a new term: what an earlier term has not committed by now, it never will.
 * Waits for the writers that are inside a transaction at this moment; the pool's limits bound that.
 */
export async function acquireEpoch(pool: Pool, holder: string, signal?: AbortSignal): Promise<Epoch> {
  const begin = async (transaction: Transaction): Promise<Epoch> => {
    await transaction.rows(`set local lock_timeout = '${TAKEOVER_LOCK_TIMEOUT}'`);
    await transaction.rows(`select pg_advisory_xact_lock(${TERM_LOCK})`);
    const [term] = await transaction.rows<{ epoch: bigint }>(
      "update genop.leadership set epoch = epoch + 1, holder = $1, since = clock_timestamp() returning epoch",
      [holder],
    );
    if (!term) throw new Error("cannot begin a term: genop.leadership has lost its row");
    return term.epoch as Epoch;
  };
  return inPlainTransaction(pool, begin, signal);
}
