// What a task is expected to cost: the amount that is held, and never guessed low.
import { expect, test } from "@jest/globals";
import { micro } from "../../../operator/task/credits.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import { numberOf } from "../../../operator/task/provider.ts";
import { NOON, ended, record, seen, settings, task } from "../../builders/seen.ts";
import { table } from "./decision-table.ts";

function pricedBy(input: Readonly<Record<string, unknown>>, inputFrom: readonly unknown[] = []): Observation {
  const models = [{ name: "acme-image", price: { perOutput: "0.01", countField: "n" } }];
  const wish = { input, ...(inputFrom.length > 0 && { inputFrom }) };
  return seen({ task: task({ wish }), provider: { state: "ready", settings: settings({ models }) } });
}

/** What the parts of a price come to for this input. */
const PARTS = { perRequest: "0.1", perOutput: "0.01", countField: "n", perSecond: "0.001", secondsField: "s" };
function inParts(input: Readonly<Record<string, unknown>>): Observation {
  const models = [{ name: "acme-image", price: PARTS }];
  return seen({ task: task({ wish: { input } }), provider: { state: "ready", settings: settings({ models }) } });
}

table("the estimate", [
  {
    when: "each part of a price is counted by its own field",
    seen: inParts({ n: 3, s: 7 }),
    then: { type: "begin", estimate: micro(137_000n) },
  },
  {
    when: "a part without its field counts once",
    seen: inParts({ s: 7 }),
    then: { type: "begin", estimate: micro(117_000n) },
  },
  {
    when: "a field that every object has, and this input has not, counts once",
    seen: seen({
      provider: {
        state: "ready",
        settings: settings({ models: [{ name: "acme-image", price: { perOutput: "1", countField: "constructor" } }] }),
      },
    }),
    then: { type: "begin", estimate: micro(1_000_000n) },
  },
  {
    when: "the largest count that anybody means is priced",
    seen: pricedBy({ n: 1_000_000 }),
    then: { type: "begin", estimate: micro(10_000_000_000n) },
  },
  {
    when: "a part of the count from a Secret can't be priced",
    seen: pricedBy({ n: 1 }, [{ path: "/n/0", secretKeyRef: { name: "a", key: "b" } }]),
    then: { type: "end-task", end: expect.objectContaining({ reason: "NotSupported" }) },
  },
  {
    when: "another field from a Secret changes no price",
    seen: pricedBy({ n: 2 }, [{ path: "/number", secretKeyRef: { name: "a", key: "b" } }]),
    then: { type: "begin", estimate: micro(20_000n) },
  },
  {
    when: "of two secret fields the one that counts is seen",
    seen: pricedBy({ n: 2 }, [
      { path: "/token", secretKeyRef: { name: "a", key: "b" } },
      { path: "/n", secretKeyRef: { name: "a", key: "c" } },
    ]),
    then: { type: "end-task" },
  },
  ...[1_000_001, 1e15, 0, -1, "1000001", "many", "5s", "", true, [5], {}].map((count) => ({
    when: `a count of ${JSON.stringify(count)} is refused by its field, never priced as 1`,
    seen: pricedBy({ n: count }),
    then: {
      type: "end-task",
      end: { phase: "Rejected", reason: "NotSupported", message: expect.stringContaining("spec.input.n:") },
    } as const,
  })),
  ...[5, "5", " 5 ", 4.2].map((count) => ({
    when: `a count of ${JSON.stringify(count)} is priced as 5`,
    seen: pricedBy({ n: count }),
    then: { type: "begin", estimate: micro(50_000n) } as const,
  })),
  ...[{}, { n: null }].map((input) => ({
    when: `without a count, as in ${JSON.stringify(input)}, one output is meant`,
    seen: pricedBy(input),
    then: { type: "begin", estimate: micro(10_000n) } as const,
  })),
  {
    when: "a count that comes from a Secret can't be priced",
    seen: pricedBy({}, [{ path: "/n", secretKeyRef: { name: "a", key: "b" } }]),
    then: { type: "end-task", end: expect.objectContaining({ phase: "Rejected", reason: "NotSupported" }) },
  },
  {
    when: "a price that between two attempts came to depend on a field that is no number ends the task",
    seen: { ...pricedBy({ n: "many" }), record: record(), attempt: ended({ retryAt: NOON }) },
    then: { type: "end-task", end: expect.objectContaining({ phase: "Failed", reason: "NotSupported" }) },
  },
]);

test.each([
  { value: 1.5, is: 1.5 },
  { value: " 5 ", is: 5 },
  { value: "", is: NaN },
  { value: "  ", is: NaN },
  { value: true, is: NaN },
])("$value is the number $is, as a provider reads it", ({ is, value }) => {
  expect(numberOf(value)).toBe(is);
});
