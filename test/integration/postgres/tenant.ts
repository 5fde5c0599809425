// Namespaces with budgets: a new one with credits, what it has spent, and the time that goes by for it.
import type { Budget } from "../../../operator/task/budget.ts";
import { micro } from "../../../operator/task/credits.ts";
import type { TestDatabase } from "./database.ts";
import type { Desk } from "./desk.ts";

let tenants = 0;

export async function newTenant(desk: Desk): Promise<string> {
  const namespace = `tenant-${(tenants += 1)}`;
  await desk.grant(namespace, 1_000_000n);
  return namespace;
}

export const perDay = (limit: bigint): Budget => ({ perDay: micro(limit), perMonth: undefined });

/** In the day and in the month under way. */
export async function spentBy(desk: Desk, namespace: string): Promise<readonly [bigint, bigint]> {
  const { rows } = await desk.pool.query<{ day: bigint; month: bigint }>(
    "select day, month from genop.spent($1, clock_timestamp())",
    [namespace],
  );
  return [rows[0]?.day ?? -1n, rows[0]?.month ?? -1n];
}

/** As if all that a namespace has spent had been spent so much earlier by the database's clock. */
export async function age(database: TestDatabase, namespace: string, interval: "1 day" | "1 month"): Promise<void> {
  // By way of a time that no row has: two days must not meet on one key in between.
  const afar = "interval '100000 days'";
  await database.asSuperuser((client) =>
    client.query(`
      begin; set local timezone = 'UTC'; alter table genop.holds disable trigger immutable;
      update genop.holds set placed_at = placed_at - interval '${interval}' where namespace = '${namespace}';
      update genop.spending set day = day - ${afar} where namespace = '${namespace}';
      update genop.spending set day = day + ${afar} - interval '${interval}' where namespace = '${namespace}';
      alter table genop.holds enable always trigger immutable; commit`),
  );
}
