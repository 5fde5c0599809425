import { describe, expect, test } from "@jest/globals";
import { BUDGETS_ENTRY, Budgets, budgetOf, fullUntil, isUnlimited } from "../../../operator/task/budget.ts";
import { micro } from "../../../operator/task/credits.ts";

const BUDGETS = Budgets.parse({
  studio: { creditsPerDay: "5", creditsPerMonth: "50.5" },
  lab: {},
  "*": { creditsPerMonth: "1" },
});

describe("the budget of a namespace", () => {
  test.each([
    { when: "it is named", namespace: "studio", budget: { perDay: 5_000_000n, perMonth: 50_500_000n } },
    { when: "it is named without limits", namespace: "lab", budget: {} },
    { when: "only others are", namespace: "garage", budget: { perMonth: 1_000_000n } },
    { when: "its name is one that every object has", namespace: "constructor", budget: { perMonth: 1_000_000n } },
  ])("is its own entry, or that of all others: when $when", ({ budget, namespace }) => {
    expect(budgetOf(BUDGETS, namespace)).toEqual(budget);
  });

  test("is unlimited where nothing says otherwise", () => {
    expect(isUnlimited(budgetOf(undefined, "studio"))).toBe(true);
    expect(isUnlimited(budgetOf(Budgets.parse({ studio: { creditsPerDay: "1" } }), "lab"))).toBe(true);
    expect(isUnlimited(budgetOf(BUDGETS, "lab"))).toBe(true);
  });

  test("is limited by either of its two limits", () => {
    expect(isUnlimited({ perDay: micro(0n), perMonth: undefined })).toBe(false);
    expect(isUnlimited({ perDay: undefined, perMonth: micro(0n) })).toBe(false);
  });

  test("stands under a name that no provider can have", () => {
    expect(BUDGETS_ENTRY).toMatch(/^_/);
  });
});

describe("whether an amount has room", () => {
  const dayEnds = new Date("2026-02-01T00:00:00Z");
  const monthEnds = new Date("2026-03-01T00:00:00Z");
  test.each([
    { when: "it fits exactly", perDay: 10n, perMonth: 20n, day: 7n, month: 17n, amount: 3n, until: undefined },
    { when: "the day is one short", perDay: 9n, perMonth: 20n, day: 7n, month: 17n, amount: 3n, until: dayEnds },
    { when: "the month is one short", perDay: 10n, perMonth: 19n, day: 7n, month: 17n, amount: 3n, until: monthEnds },
    { when: "both are", perDay: 0n, perMonth: 0n, day: 7n, month: 17n, amount: 3n, until: monthEnds },
    { when: "there is no limit of the day", perMonth: 20n, day: 7n, month: 17n, amount: 3n, until: undefined },
    { when: "a limit was lowered, and it is free", perDay: 1n, day: 7n, month: 17n, amount: 0n, until: undefined },
  ])("$when", ({ amount, day, month, perDay, perMonth, until }) => {
    const limit = (value: bigint | undefined) => (value === undefined ? undefined : micro(value));
    const budget = { perDay: limit(perDay), perMonth: limit(perMonth) };
    expect(fullUntil(budget, { day, month, dayEnds, monthEnds }, micro(amount))).toEqual(until);
  });
});
