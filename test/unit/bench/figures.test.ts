import { describe, expect, test } from "@jest/globals";
import type { Result } from "../../bench/bench.ts";
import { judge, medianOf, percentileOf, quotientsOf, ratiosOf, spreadOf } from "../../bench/figures.ts";

const result = (fields: Partial<Result>): Result => ({
  measure: "throughput",
  unit: "objects/s",
  better: "more",
  ours: [90, 100, 110],
  baselines: { "bare-loop": [100, 100, 100], other: [50, 100, 200] },
  required: [],
  ...fields,
});

describe("spread", () => {
  test.each([
    [[7], 7],
    [[3, 1, 2], 2],
    [[10, 9, 1, 2], 5.5],
  ])("the median of %j is %d", (values, median) => expect(medianOf(values)).toBe(median));

  test("no values have no median", () => expect(() => medianOf([])).toThrow("no values"));

  test("smallest and largest go with it, and the values keep their order", () => {
    const values = [3, 1, 2];
    expect(spreadOf(values)).toEqual({ median: 2, min: 1, max: 3 });
    expect(values).toEqual([3, 1, 2]);
  });

  test.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])("a share of %d of the numbers 1 to 100 lies at %d", (share, value) => {
    expect(
      percentileOf(
        Array.from({ length: 100 }, (_, at) => 100 - at),
        share,
      ),
    ).toBe(value);
  });
});

describe("ratios", () => {
  test("rows are compared round by round", () => expect(quotientsOf([90, 100], [100, 50])).toEqual([0.9, 2]));

  test("rows with unequal rounds are not compared", () =>
    expect(() => quotientsOf([1], [1, 2])).toThrow("more rounds"));

  test("the median of the rounds counts, not the ratio of the medians", () =>
    expect(ratiosOf(result({}))).toEqual({ "bare-loop": 1, other: 1 }));

  test("above 1 ours is better, also where less is better", () => {
    const less = result({ better: "less", ours: [1, 2, 4], baselines: { other: [2, 4, 8] } });
    expect(ratiosOf(less)).toEqual({ other: 2 });
  });
});

describe("requirements", () => {
  test.each<[string, Partial<Result>, number | undefined, boolean | undefined]>([
    ["≥ 0.9 × bare-loop", { required: [{ against: "bare-loop", times: 0.9 }] }, 1, true],
    ["≥ 1.1 × bare-loop", { required: [{ against: "bare-loop", times: 1.1 }] }, 1, false],
    ["≤ 1 × bare-loop", { better: "less", required: [{ against: "bare-loop", times: 1 }] }, 1, true],
    ["≤ 0.9 × bare-loop", { better: "less", required: [{ against: "bare-loop", times: 0.9 }] }, 1, false],
    ["≥ 2 × absent", { required: [{ against: "absent", times: 2 }] }, undefined, undefined],
    ["≥ 95 objects/s", { required: [{ limit: 95, of: "median" }] }, 100, true],
    ["≥ 95 objects/s in every round", { required: [{ limit: 95, of: "worst" }] }, 90, false],
    ["≤ 100 ms in every round", { better: "less", unit: "ms", required: [{ limit: 100, of: "worst" }] }, 110, false],
    ["≤ 0 in every round", { better: "less", unit: "", ours: [0], required: [{ limit: 0, of: "worst" }] }, 0, true],
  ])("%s", (words, fields, measured, isMet) => {
    expect(judge(result(fields))).toEqual([{ measure: "throughput", required: words, measured, isMet }]);
  });
});
