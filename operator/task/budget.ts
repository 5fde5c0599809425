// What a namespace may spend in a day and in a calendar month, in UTC: held and settled credits. Beside its balance, which it never adds to.
import { z } from "zod";
import type { MicroCredits } from "./brand.ts";
import { parseCredits } from "./credits.ts";
import { creditsField, nameField, MAX_NAME_LENGTH } from "./fields.ts";

const Limit = creditsField()
  .transform((text) => parseCredits(text))
  .optional();

/** The entry of the quota ConfigMap that holds all budgets. No GenerationProvider can have this name. */
export const BUDGETS_ENTRY = "_budgets";
/** In place of a namespace's name: every namespace that is not named. */
const OTHERS = "*";

export const Budgets = z.record(
  z.union([z.literal(OTHERS), nameField(MAX_NAME_LENGTH)]),
  z.strictObject({ creditsPerDay: Limit, creditsPerMonth: Limit }),
);
export type Budgets = z.infer<typeof Budgets>;

/** Undefined is unlimited. */
export interface Budget {
  readonly perDay: MicroCredits | undefined;
  readonly perMonth: MicroCredits | undefined;
}

export const NO_BUDGET: Budget = { perDay: undefined, perMonth: undefined };

export function isUnlimited({ perDay, perMonth }: Budget): boolean {
  return perDay === undefined && perMonth === undefined;
}

/** A namespace that is named is judged by its own entry alone. */
export function budgetOf(budgets: Budgets | undefined, namespace: string): Budget {
  const entry = budgets && (Object.hasOwn(budgets, namespace) ? budgets[namespace] : budgets[OTHERS]);
  return entry ? { perDay: entry.creditsPerDay, perMonth: entry.creditsPerMonth } : NO_BUDGET;
}

/** What was spent in the periods under way, and when each ends. */
export interface Spending {
  readonly day: bigint;
  readonly month: bigint;
  readonly dayEnds: Date;
  readonly monthEnds: Date;
}

/** When there may be room for `amount` again without anybody's doing; undefined when there is room now. What costs nothing always has room. */
export function fullUntil(budget: Budget, spending: Spending, amount: MicroCredits): Date | undefined {
  const isOver = (limit: MicroCredits | undefined, spent: bigint): boolean =>
    limit !== undefined && amount > 0n && spent + amount > limit;
  if (isOver(budget.perMonth, spending.month)) return spending.monthEnds;
  return isOver(budget.perDay, spending.day) ? spending.dayEnds : undefined;
}
