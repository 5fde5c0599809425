// What namespaces have spent in the periods under way, by the database's clock, and whether a hold still fits into a budget.
import type { Pool } from "pg";
import type { Beginning } from "../reconcile/ports.ts";
import { fullUntil, isUnlimited } from "../task/budget.ts";
import type { FencedTransaction } from "./fence.ts";
import { readRows } from "./transaction.ts";

/** A budget without room, and when its period ends. */
export interface Full {
  readonly until: Date;
  readonly afterMs: number;
}

// A statement of its own, after the balance was locked: it sees every hold that was placed before, and no other comes in between.
// A hold that is then placed past midnight is the first of its day.
const SPENT = `
select moment.at as now, spent.day, spent.month, spent.day_ends as "dayEnds", spent.month_ends as "monthEnds"
  from (select clock_timestamp() as at) moment, genop.spent($1, moment.at) spent`;

interface SpentRow {
  readonly now: Date;
  readonly day: bigint;
  readonly month: bigint;
  readonly dayEnds: Date;
  readonly monthEnds: Date;
}

/** Undefined: the hold fits. The namespace's balance must have been locked in this transaction. */
export async function budgetFull(
  transaction: FencedTransaction,
  { budget, estimate, namespace }: Beginning,
): Promise<Full | undefined> {
  if (isUnlimited(budget)) return undefined;
  const [spent] = await transaction.rows<SpentRow>(SPENT, [namespace]);
  if (!spent) throw new Error("cannot read what was spent: the statement answered without a row");
  const until = fullUntil(budget, spent, estimate);
  return until && { until, afterMs: until.getTime() - spent.now.getTime() };
}

export interface Spent {
  readonly namespace: string;
  /** Micro-credits. */
  readonly day: bigint;
  readonly month: bigint;
}

const MOST_FIRST = `
select tenant.namespace, spent.day, spent.month
  from (select clock_timestamp() as at) moment,
       (select distinct namespace from genop.spending
         where day >= date_trunc('month', now() at time zone 'UTC')) tenant,
       genop.spent(tenant.namespace, moment.at) spent
 order by spent.month desc, tenant.namespace
 limit $1`;

/** The namespaces that have spent most this month, and those alone. */
export async function spentMost(pool: Pool, atMost: number, signal: AbortSignal): Promise<readonly Spent[]> {
  return readRows<Spent>(pool, MOST_FIRST, [atMost], signal);
}
