// When to look again: waits grow, have a limit, are spread, and never undercut what the provider asks for.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  fetchMs,
  firstPollMs,
  lateLookMs,
  lateWatchMs,
  lockedOutMs,
  pollMs,
  retryMs,
  searchMs,
} from "../../../operator/task/schedule.ts";
import { MINUTE, SECOND } from "../../builders/seen.ts";

const HOUR = 60 * MINUTE;

interface Wait {
  readonly of: string;
  /** Where the provider has no say. */
  readonly unhinted?: boolean;
  readonly ms: (times: number, hintMs: number | undefined, random: number) => number;
  /** For the first, second, third and hundredth time, in the middle of the spread. */
  readonly grows: readonly number[];
}

const WAITS: readonly Wait[] = [
  { of: "a poll", ms: pollMs, grows: [SECOND, 1500, 2250, 15 * SECOND] },
  { of: "a look for a lost job", ms: searchMs, grows: [SECOND, 2 * SECOND, 4 * SECOND, MINUTE] },
  { of: "a fetch", ms: fetchMs, grows: [SECOND, 2 * SECOND, 4 * SECOND, 30 * SECOND] },
  { of: "a late look", ms: lateLookMs, grows: [MINUTE, 3 * MINUTE, 9 * MINUTE, 12 * HOUR] },
  { of: "a late query", ms: lateWatchMs, grows: [15 * SECOND, 30 * SECOND, MINUTE, 15 * MINUTE] },
  { of: "a new attempt", ms: retryMs, grows: [550, 1100, 2200, 33 * SECOND] },
  {
    of: "an attempt where the provider refuses everybody",
    unhinted: true,
    ms: (times, _hint, random) => lockedOutMs(times, random),
    grows: [30 * SECOND, MINUTE, 2 * MINUTE, 15 * MINUTE],
  },
];

describe.each(WAITS)("the wait for $of", ({ grows, ms }) => {
  test("grows with each time, to a limit", () => {
    expect([0, 1, 2, 100].map((times) => ms(times, undefined, 0.5))).toEqual(grows);
  });

  test("is spread by chance, and never shrinks with the times at the same chance", () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(200), random, (times, chance) => {
        expect(ms(times + 1, undefined, chance)).toBeGreaterThanOrEqual(ms(times, undefined, chance));
        expect(ms(times, undefined, chance)).toBeGreaterThan(0);
      }),
    );
    expect(ms(0, undefined, 0)).toBeLessThan(ms(0, undefined, 0.5));
    expect(ms(0, undefined, 0.5)).toBeLessThan(ms(0, undefined, 0.99));
  });
});

describe.each(WAITS.filter(({ unhinted }) => !unhinted))("the wait for $of", ({ ms }) => {
  test("is at least what the provider asks for, and that is cut at a quarter of an hour", () => {
    expect(ms(0, 2 * MINUTE, 0.5)).toBe(2 * MINUTE);
    expect(ms(0, HOUR, 0.5)).toBe(15 * MINUTE);
    expect(ms(0, 1, 0.5)).toBe(ms(0, undefined, 0.5));
  });
});

test("a job that was just accepted is asked for within the spread of a second", () => {
  expect([0, 0.5, 0.999].map(firstPollMs)).toEqual([800, 1000, 1200]);
});
