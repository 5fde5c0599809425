// The accounts of the tenants, from the ledger alone. Pure.
import type { MicroCredits } from "../../operator/task/brand.ts";
import { ZERO, formatCredits, micro } from "../../operator/task/credits.ts";
import type { AccountStatement, StatementLine } from "../../operator/postgres/statement.ts";
import { gridOf } from "./grid.ts";

export interface Account {
  readonly namespace: string;
  readonly granted: MicroCredits;
  readonly held: MicroCredits;
  readonly settled: MicroCredits;
  readonly released: MicroCredits;
  readonly available: MicroCredits;
}

/** What a statement of all lines of a namespace adds up to. */
export function accountOf(namespace: string, { available, held, lines }: AccountStatement): Account {
  const sum = (operation: string, account: StatementLine["account"]): MicroCredits => {
    const amounts = lines.filter((line) => line.operation === operation && line.account === account);
    return micro(amounts.reduce<bigint>((total, { amount }) => total + amount, ZERO));
  };
  const released = sum("resolve", "available");
  // A resolution takes the whole hold out of `held`; what does not come back was settled.
  const settled = micro(ZERO - sum("resolve", "held") - released);
  return { namespace, granted: sum("grant", "available"), held, settled, released, available };
}

/** A sentence when granted is not settled + held + available. */
export function accountProblem({ available, granted, held, namespace, settled }: Account): string | undefined {
  if (granted === settled + held + available) return undefined;
  return `the account of ${namespace} does not add up: granted ${formatCredits(granted)} is not settled + held + available`;
}

export function accountLines(accounts: readonly Account[]): readonly string[] {
  const heading = ["NAMESPACE", "GRANTED", "SETTLED", "HELD", "AVAILABLE", "RELEASED ON THE WAY"];
  const rows = accounts.map(({ available, granted, held, namespace, released, settled }) => [
    namespace,
    ...[granted, settled, held, available, released].map(formatCredits),
  ]);
  return gridOf([heading, ...rows], { rightFrom: 1 });
}

/** The entries, the newest first; `nameOf` says whose business an id is. */
export function entryLines(lines: readonly StatementLine[], nameOf: (businessId: string) => string): readonly string[] {
  const heading = ["TIME", "OPERATION", "ACCOUNT", "AMOUNT", "BALANCE", "FOR"];
  const rows = lines.map(({ account, amount, at, balanceAfter, businessId, operation }) => [
    at.toISOString().slice(11, 23),
    operation,
    account,
    `${amount > ZERO ? "+" : ""}${formatCredits(amount)}`,
    formatCredits(balanceAfter),
    nameOf(businessId),
  ]);
  return gridOf([heading, ...rows], { rightFrom: 3, rightTo: 4 });
}
