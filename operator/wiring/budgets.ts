// What namespaces have spent of their budgets, put into the metrics at each scrape, by every replica: the database is the same for all.
import type { LiveQuotas } from "../kube/quota.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Spent } from "../postgres/spending.ts";
import { credits } from "./meters.ts";

export interface BudgetsDeps {
  readonly quotas: Pick<LiveQuotas, "budget">;
  readonly spentMost: (atMost: number, signal: AbortSignal) => Promise<readonly Spent[]>;
}

const READ_MS = 4000;
/** The bound that labels have; whoever spends most is what a person looks for. */
const MAX_NAMESPACES = 64;

/** Namespaces without a limit, and those that have spent nothing this month, are not told of. */
export function observeBudgets(
  metrics: Pick<Metrics, "onScrape" | "setAll">,
  { quotas, spentMost }: BudgetsDeps,
): void {
  metrics.onScrape(async () => {
    const periods = (await spentMost(MAX_NAMESPACES, AbortSignal.timeout(READ_MS))).flatMap((spent) =>
      periodsOf(quotas, spent),
    );
    metrics.setAll(
      "budgetSpent",
      periods.map(({ labels, spent }) => ({ labels, value: credits(spent) })),
    );
    metrics.setAll(
      "budgetLimit",
      periods.map(({ labels, limit }) => ({ labels, value: credits(limit) })),
    );
  });
}

interface Period {
  readonly labels: { readonly tenant: string; readonly period: "day" | "month" };
  readonly spent: bigint;
  readonly limit: bigint;
}

function periodsOf(quotas: Pick<LiveQuotas, "budget">, { day, month, namespace }: Spent): readonly Period[] {
  const budget = quotas.budget(namespace);
  if (budget === "unknown") return [];
  return [
    ...(budget.perDay === undefined
      ? []
      : [{ labels: { tenant: namespace, period: "day" } as const, spent: day, limit: budget.perDay }]),
    ...(budget.perMonth === undefined
      ? []
      : [{ labels: { tenant: namespace, period: "month" } as const, spent: month, limit: budget.perMonth }]),
  ];
}
