// One tenant's account: what it has, what is held, and how it came to that.
import type { Pool } from "pg";
import type { MicroCredits } from "../task/brand.ts";
import { readRows } from "./transaction.ts";

export interface StatementLine {
  readonly at: Date;
  readonly transactionId: string;
  readonly operation: string;
  /** The grant's UID or the attempt's id. */
  readonly businessId: string;
  readonly account: "available" | "held";
  readonly amount: MicroCredits;
  readonly balanceAfter: MicroCredits;
}

export interface AccountStatement {
  readonly available: MicroCredits;
  readonly held: MicroCredits;
  /** The newest first. */
  readonly lines: readonly StatementLine[];
}

// One statement, so that balances and lines are of one moment.
const STATEMENT = `
select account.kind, balance.balance, line.*
  from genop.accounts account
  join genop.balances balance on balance.account_id = account.id
  left join lateral (
    select header.posted_at as at, header.id::text as transaction_id, header.operation, header.business_id,
           entry.amount, entry.balance_after
      from genop.entries entry join genop.ledger_transactions header on header.id = entry.transaction_id
     where entry.account_id = account.id
     order by entry.account_version desc limit $2) line on true
 where account.namespace = $1
 order by line.at desc nulls last, line.transaction_id desc, account.kind`;

interface StatementRow {
  readonly kind: "available" | "held";
  readonly balance: bigint;
  readonly at: Date | null;
  readonly transaction_id: string;
  readonly operation: string;
  readonly business_id: string;
  readonly amount: bigint;
  readonly balance_after: bigint;
}

/** The balances and the newest lines, as of one moment. Zero and none without an account. */
export async function accountStatement(
  pool: Pool,
  namespace: string,
  maxLines: number,
  signal: AbortSignal,
): Promise<AccountStatement> {
  const rows = await readRows<StatementRow>(pool, STATEMENT, [namespace, maxLines], signal);
  const balanceOf = (kind: StatementRow["kind"]): MicroCredits =>
    (rows.find((row) => row.kind === kind)?.balance ?? 0n) as MicroCredits;
  const lines = rows.flatMap(({ at, ...row }) => (at === null ? [] : [{ ...row, at }]));
  return {
    available: balanceOf("available"),
    held: balanceOf("held"),
    lines: lines.slice(0, maxLines).map((row) => ({
      at: row.at,
      transactionId: row.transaction_id,
      operation: row.operation,
      businessId: row.business_id,
      account: row.kind,
      amount: row.amount as MicroCredits,
      balanceAfter: row.balance_after as MicroCredits,
    })),
  };
}
