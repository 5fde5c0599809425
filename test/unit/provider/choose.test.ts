// The schedule of faults: the same seed, the same faults, on every machine and in every order of asking.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { chooseFault, scheduledFault, type Occasion } from "../../provider/faults/choose.ts";
import type { Schedule } from "../../provider/schema/config.ts";

const SCHEDULE: Schedule = { seed: 7, submit: { none: 2, "reset-after": 1, "server-error-before": 1 } };

const occasion = (over: Partial<Occasion> = {}): Occasion => ({
  place: "submit",
  reference: "studio/a",
  n: 1,
  ...over,
});

const faultsOf = (schedule: Schedule, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => scheduledFault(schedule, occasion({ n: index + 1 })));

describe("the seeded schedule", () => {
  test("is a pure function of the seed, the place, the reference and n", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: 1, max: 1_000 }), (seed, reference, n) => {
        const asked = occasion({ reference, n });
        const reordered: Schedule = { submit: { "server-error-before": 1, "reset-after": 1, none: 2 }, seed };
        expect(scheduledFault({ ...SCHEDULE, seed }, asked)).toBe(scheduledFault(reordered, asked));
      }),
    );
  });

  test("gives the faults that it gave on the day it was written", () => {
    expect(faultsOf(SCHEDULE, 8)).toEqual([
      "none",
      "none",
      "reset-after",
      "reset-after",
      "none",
      "server-error-before",
      "server-error-before",
      "server-error-before",
    ]);
  });

  test("differs by seed", () => {
    expect(faultsOf(SCHEDULE, 50)).not.toEqual(faultsOf({ ...SCHEDULE, seed: 8 }, 50));
  });

  test("meets each fault about as often as its weight says", () => {
    const faults = faultsOf(SCHEDULE, 2_000);
    const share = (fault: string): number => faults.filter((each) => each === fault).length / faults.length;

    expect(share("none")).toBeCloseTo(0.5, 1);
    expect(share("reset-after")).toBeCloseTo(0.25, 1);
    expect(share("server-error-before")).toBeCloseTo(0.25, 1);
  });

  test.each([
    { when: "nothing is scheduled for the place", schedule: {} },
    { when: "all weights are zero", schedule: { seed: 1, submit: { "reset-after": 0 } } },
  ])("there is no fault when $when", ({ schedule }) => {
    expect(scheduledFault(schedule, occasion())).toBe("none");
  });
});

describe("the faults that a request lists", () => {
  test.each([
    { n: 1, fault: "reset-after" },
    { n: 2, fault: "none" },
    { n: 3, fault: "invalid" },
    { n: 4, fault: "none" },
  ])("govern alone, whatever is scheduled: the one of request $n is $fault", ({ n, fault }) => {
    const certain: Schedule = { submit: { "silence-before": 1 } };
    expect(chooseFault(["reset-after", "none", "invalid"], certain, occasion({ n }))).toBe(fault);
  });
});
