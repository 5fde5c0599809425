import { expect, test } from "@jest/globals";
import { BEHAVIOURS } from "../../crash/behaviours.ts";
import { CASES, ENUMERATED, spread, titleOf } from "../../crash/cases.ts";
import { PORT_CALLS } from "../../crash/port-calls.ts";

test("every behaviour meets every port call, before and after, at its first and its second passage: no more, no fewer", () => {
  expect(ENUMERATED).toBe(BEHAVIOURS.length * PORT_CALLS.length * 4);
  expect(new Set(CASES.map(titleOf)).size).toBe(ENUMERATED);
});

test("every port call is surely passed in some behaviour's life, but for those that are named here", () => {
  const passed = new Set(CASES.filter(({ reach }) => reach === "surely").map(({ order }) => order.call));
  const elsewhere = [
    "books.noteClaim", // a webhook's word: test/scenarios
    "books.recover", // a restored database: test/long/restored-postgres.test.ts
    "unsent.note", // a fault of Postgres: test/scenarios/lost-mark.test.ts
  ];
  expect(PORT_CALLS.filter((call) => !passed.has(call)).sort()).toEqual(elsewhere);
});

test("what cannot be reached has its reason", () => {
  const reasons = CASES.flatMap(({ reach }) => (typeof reach === "string" ? [] : [reach.impossible]));
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons.filter((reason) => reason.length < 10)).toEqual([]);
});

test("the order of a seed is always the same, and of another seed another", () => {
  const order = (seed: string): readonly number[] => spread(CASES, seed).map(({ index }) => index);
  expect(order("a")).toEqual(order("a"));
  expect(order("a")).not.toEqual(order("b"));
  expect([...order("a")].sort((one, other) => one - other)).toEqual(CASES.map(({ index }) => index));
});
