import { expect, test } from "@jest/globals";
import type { Report } from "../../bench/bench.ts";
import { jsonOf, short, textOf } from "../../bench/print.ts";

const machine = {
  ...{ cores: 2, model: "Some CPU", memoryGb: 24, node: "24.0.0", kubernetes: "v1.36.3", objectStore: "v1.8.0" },
  ...{ loadBefore: 0.5, loadAfter: 2.25, stolen: 0.01, idle: 0.25 },
};
const report: Report = {
  bench: "runtime",
  setUp: ["Some objects."],
  results: [
    {
      ...{ measure: "throughput", unit: "objects/s", better: "more", ours: [80, 100], baselines: { bare: [100, 100] } },
      required: [
        { against: "bare", times: 0.9 },
        { against: "absent", times: 10 },
        { limit: 90, of: "worst" },
      ],
    },
  ],
};

test("people read a table of figures and one of requirements", () => {
  expect(textOf(report, machine))
    .toBe(`runtime: 2 × Some CPU, 24 GB, Node 24.0.0, Kubernetes v1.36.3, load 0.5 → 2.3, idle 25 %, stolen 1 %
Some objects.

measure     unit       who   median  min  max  ours is better
throughput  objects/s  ours  90      80   100
                       bare  100     100  100  × 0.9

measure     required                       measured
throughput  ≥ 0.9 × bare                   0.9       met
throughput  ≥ 10 × absent                  left out
throughput  ≥ 90 objects/s in every round  80        NOT MET
`);
});

test("machines read the same, with the ratios, and whether all is met", () => {
  expect(jsonOf(report, machine)).toMatchObject({
    bench: "runtime",
    machine: { cores: 2 },
    met: false,
    results: [
      {
        measure: "throughput",
        ours: { median: 90, min: 80, max: 100, values: [80, 100] },
        baselines: { bare: { median: 100 } },
        ratios: { bare: 0.9 },
        required: [{ isMet: true }, { isMet: undefined }, { isMet: false, measured: 80 }],
      },
    ],
  });
});

test.each([
  [1234.5, "1235"],
  [99.96, "100"],
  [12.345, "12.3"],
  [0.012345, "0.0123"],
  [0, "0"],
  [NaN, "–"],
])("%d is printed as %s", (value, text) => expect(short(value)).toBe(text));
