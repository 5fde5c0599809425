// That a run which proved less than it seems to is told from one that proved all.
import { expect, test } from "@jest/globals";
import { untriedIn } from "../../schemathesis/untried.ts";

const FOLLOW = "GET /v1/events";
const ASSET = "GET /v1/tasks/{id}/assets/{name}";

function reportOf(tested: number, accepted: Readonly<Record<string, readonly [number, number]>>): unknown {
  const rates = Object.entries(accepted).map(([name, [coverage, fuzzing]]) => [
    name,
    { coverage: { accepted: coverage, rejected: 3 }, fuzzing: { accepted: fuzzing, rejected: 0 } },
  ]);
  return { operations: { total: 2, selected: 2, tested }, valid_rates: Object.fromEntries(rates) as unknown };
}

test.each([
  { when: "all were answered with success", report: reportOf(2, { [FOLLOW]: [0, 1], [ASSET]: [1, 0] }), then: [] },
  {
    when: "an operation was not tried",
    report: reportOf(1, { [ASSET]: [1, 0] }),
    then: ["1 of 2 operations were not tried"],
  },
  {
    when: "an operation was only ever refused",
    report: reportOf(2, { [FOLLOW]: [0, 0], [ASSET]: [1, 0] }),
    then: [`${FOLLOW} was never answered with success`],
  },
])("$when", ({ report, then }) => {
  expect(untriedIn(report)).toEqual(then);
});

test("a report of another form is an error, and not a run without gaps", () => {
  expect(() => untriedIn({ operations: { total: 2 } })).toThrow("selected");
});
