import { expect, test } from "@jest/globals";
import type { StatementLine } from "../../../operator/postgres/statement.ts";
import type { MicroCredits } from "../../../operator/task/brand.ts";
import { accountLines, accountOf, accountProblem, entryLines } from "../../demo/statement.ts";

type Entry = readonly [operation: string, account: StatementLine["account"], amount: bigint];

const linesOf = (entries: readonly Entry[]): readonly StatementLine[] =>
  entries.map(([operation, account, amount], index) => ({
    ...{ operation, account, amount: amount as MicroCredits, balanceAfter: 0n as MicroCredits },
    ...{ at: new Date(Date.UTC(2026, 10, 30, 12, 0, index)), transactionId: String(index), businessId: `id-${index}` },
  }));

/** 5 granted; 0.1 held and paid; 0.01 held and given back; 0.02 held of which half is charged; 0.03 held. */
const ENTRIES: readonly Entry[] = [
  ["grant", "available", 5_000_000n],
  ["hold", "available", -100_000n],
  ["hold", "held", 100_000n],
  ["resolve", "held", -100_000n],
  ["hold", "available", -10_000n],
  ["hold", "held", 10_000n],
  ["resolve", "held", -10_000n],
  ["resolve", "available", 10_000n],
  ["hold", "available", -20_000n],
  ["hold", "held", 20_000n],
  ["resolve", "held", -20_000n],
  ["resolve", "available", 10_000n],
  ["hold", "available", -30_000n],
  ["hold", "held", 30_000n],
];
const STATEMENT = {
  available: 4_860_000n as MicroCredits,
  held: 30_000n as MicroCredits,
  lines: linesOf(ENTRIES),
};

test("a statement adds up to what was granted, settled, held, released and left", () => {
  const account = accountOf("studio", STATEMENT);
  expect(account).toMatchObject({ granted: 5_000_000n, settled: 110_000n, released: 20_000n, held: 30_000n });
  expect(accountProblem(account)).toBeUndefined();
});

test("an account from which credits vanished is a problem", () => {
  const account = accountOf("studio", { ...STATEMENT, available: 4_850_000n as MicroCredits });
  expect(accountProblem(account)).toContain("the account of studio does not add up");
});

test("amounts are written as credits", () => {
  const [, line] = accountLines([accountOf("studio", STATEMENT)]);
  expect(line?.split(/ +/)).toEqual(["studio", "5", "0.11", "0.03", "4.86", "0.02"]);
});

test("entries say whose business they were", () => {
  const [, first] = entryLines(linesOf([["hold", "held", 10_000n]]), (id) => `task of ${id}`);
  expect(first?.split(/ {2,}/)).toEqual(["12:00:00.000", "hold", "held", "+0.01", "0", "task of id-0"]);
});
