// Transactions: one client, passed on explicitly; COMMIT believed only by its command tag; conflicts retried whole, a few times.
// No external call may be made inside one.
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient, QueryResult } from "pg";
import { PostgresFault, faultOf, isRetryable, isServersWord } from "./faults.ts";

/**
 * A statement that every task runs: a connection has the server keep it under this name, parsed and planned, for planning it is most of what
 * it costs. Its columns are named one by one, so that a migration beside it changes nothing of what it answers.
 */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

export type Statement = string | Prepared;

/** What the inside of a transaction may do: run statements on its one connection. Faults carry no parameter values. */
export interface Transaction {
  rows<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** The number of rows that the statement touched. */
  count(statement: Statement, values?: readonly unknown[]): Promise<number>;
}

export const BEGIN = "begin isolation level read committed";
const MAX_TRIES = 6;
const FIRST_RETRY_MS = 10;

/**
 * Runs `work` in a transaction and commits; rolls back when it throws, and throws the same.
 * `work` may run several times: it must do nothing but statements. `signal` is heeded until COMMIT is sent.
 * COMMIT_UNKNOWN: the answer to COMMIT was lost; read before deciding anything.
 */
export async function inPlainTransaction<T>(
  pool: Pool,
  work: (transaction: Transaction) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const opened = async (client: PoolClient): Promise<T> => {
    const transaction = statementsOn(client);
    await transaction.rows(BEGIN);
    return work(transaction);
  };
  return withRetries(() => runOnce(pool, opened, signal), signal);
}

/** Tries again while the server says that nothing happened and another try may pass. */
export async function withRetries<T>(run: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const passing = error instanceof PostgresFault && error.code === "CONTENTION" && isRetryable(error.sqlState);
      if (!passing || tries >= MAX_TRIES) throw error;
    }
    await sleep(Math.random() * FIRST_RETRY_MS * 2 ** tries);
    signal?.throwIfAborted();
  }
}

/** One try. `work` must open the transaction; it is committed here. */
export async function runOnce<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  return withClient(pool, signal, async (client) => {
    const result = await orAborted(work(client), signal);
    await commit(client);
    return result;
  });
}

/** Lends a connection for as long as `work` runs, and gives it back only if it is clean. */
export async function withClient<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connected(pool, signal);
  let isClean = false;
  // A connection that breaks while it is lent says so by an event; the statement under way fails by itself.
  const ignore = (): void => undefined;
  client.on("error", ignore);
  try {
    const result = await work(client);
    isClean = true;
    return result;
  } catch (error) {
    isClean = signal?.aborted !== true && mayBeReused(error) && (await rolledBack(client));
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(!isClean);
  }
}

async function connected(pool: Pool, signal: AbortSignal | undefined): Promise<PoolClient> {
  signal?.throwIfAborted();
  const pending = pool.connect();
  try {
    return await orAborted(pending, signal);
  } catch (error) {
    pending.then((client) => client.release()).catch(() => undefined); // it may still come, and nobody waits for it
    if (signal?.aborted) throw error;
    throw faultOf(error);
  }
}

/** Statements on a client, with errors as faults. */
export function statementsOn(client: PoolClient): Transaction {
  const run = async (statement: Statement, values: readonly unknown[] = []): Promise<QueryResult> => {
    const said = typeof statement === "string" ? { text: statement } : statement;
    try {
      // Without parameters the simple protocol is used, which takes several statements at once (migrations are such).
      return await (values.length > 0 ? client.query({ ...said, values: [...values] }) : client.query(said.text));
    } catch (error) {
      throw faultOf(error);
    }
  };
  return {
    rows: async <Row extends object>(statement: Statement, values?: readonly unknown[]) => {
      const { rows } = await run(statement, values);
      return rows as readonly Row[]; // what the statement selects is what its caller says
    },
    count: async (statement, values) => (await run(statement, values)).rowCount ?? 0,
  };
}

async function commit(client: PoolClient): Promise<void> {
  let command: string;
  try {
    ({ command } = await client.query("commit"));
  } catch (error) {
    // An ERROR is the server's own word that nothing was written. All else may have happened after the commit.
    if (isServersWord(error)) throw faultOf(error);
    throw new PostgresFault("COMMIT_UNKNOWN", { sqlState: faultOf(error).sqlState });
  }
  // An aborted transaction answers COMMIT with ROLLBACK, and the driver does not call that an error.
  if (command !== "COMMIT") throw new PostgresFault("ROLLED_BACK");
}

/** The server does not know a statement by the name that the connection had given it. */
const UNPREPARED = "26000";

/** A connection that broke, timed out or lost an answer is closed: nobody knows what comes out of it next. So is one that has lost its plans. */
function mayBeReused(error: unknown): boolean {
  if (!(error instanceof PostgresFault)) return true;
  return error.code !== "UNREACHABLE" && error.code !== "COMMIT_UNKNOWN" && error.sqlState !== UNPREPARED;
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query("rollback");
    return true;
  } catch {
    return false;
  }
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  promise.catch(() => undefined); // nobody may hear it any more
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** One reading statement on its own: one snapshot, no transaction to end. Not retried. */
export async function readRows<Row extends object>(
  pool: Pool,
  statement: Statement,
  values: readonly unknown[],
  signal?: AbortSignal,
): Promise<readonly Row[]> {
  return withClient(pool, signal, (client) => orAborted(statementsOn(client).rows<Row>(statement, values), signal));
}
