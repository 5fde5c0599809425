// A mark: one compare-and-set in a transaction of its own. No row means that somebody else was there: stop, do not retry.
import type { Pool } from "pg";
import type { Written } from "../reconcile/ports.ts";
import { StaleMark, inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";

export interface Done {
  readonly outcome: "done";
}
export const DONE: Done = { outcome: "done" };

/** Runs the statement, which must return a row for what it moved; "stale" without one. `$n` as given. */
export async function mark(pool: Pool, fence: Fence, statement: string, values: readonly unknown[]): Promise<Written> {
  return inTransaction(pool, fence, async (transaction) => {
    await moved(transaction, statement, values);
    return DONE;
  });
}

/** The same inside a larger transaction: StaleMark without a row. */
export async function moved<Row extends object>(
  transaction: FencedTransaction,
  statement: string,
  values: readonly unknown[],
): Promise<Row> {
  const [row] = await transaction.rows<Row>(statement, values);
  if (!row) throw new StaleMark();
  return row;
}
