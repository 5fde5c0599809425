// A mark: one compare-and-set in a transaction of its own. No row means that somebody else was there: stop, do not retry.
import type { Pool } from "pg";
import type { Noted, Written } from "../reconcile/ports.ts";
import type { AttemptId, TaskKey } from "../task/brand.ts";
import type { Facts } from "../task/facts.ts";
import { StaleMark, inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { factsIn } from "./load.ts";
import type { Statement } from "./transaction.ts";

export interface Done {
  readonly outcome: "done";
  readonly facts: Facts;
}

/** One compare-and-set: the statement must return a row for what it moved. */
export interface Move {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

type Subject = { readonly key: TaskKey } | { readonly attemptId: AttemptId };

/** Makes the move, and reads what is known after it; "stale" when nothing was moved. */
export async function mark(pool: Pool, fence: Fence, of: Subject, { statement, values }: Move): Promise<Written> {
  return inTransaction(pool, fence, async (transaction) => {
    await moved(transaction, statement, values);
    return done(transaction, of);
  });
}

/** A move after which nobody goes on: what is known is not read. */
export async function note(pool: Pool, fence: Fence, { statement, values }: Move): Promise<Noted> {
  return inTransaction(pool, fence, async (transaction) => {
    await moved(transaction, statement, values);
    return { outcome: "done" as const };
  });
}

/** The answer of a transaction that has made its changes. */
export async function done(transaction: FencedTransaction, of: Subject): Promise<Done> {
  return { outcome: "done", facts: await factsIn(transaction, of) };
}

/** The same inside a larger transaction: StaleMark without a row. */
export async function moved<Row extends object>(
  transaction: FencedTransaction,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row> {
  const [row] = await transaction.rows<Row>(statement, values);
  if (!row) throw new StaleMark();
  return row;
}
