import { describe, expect, test } from "@jest/globals";
import type { MeterLine } from "../../bench/scale/meter.ts";
import { listBegan, worstWithin } from "../../bench/scale/metered.ts";

const line = (atMs: number, stallMs: number): MeterLine => ({
  atMs,
  stallMs,
  stallCpuMs: stallMs / 2,
  residentMb: stallMs * 10,
});
const lines: readonly MeterLine[] = [
  line(100, 50),
  { atMs: 120, began: "list" },
  line(200, 3),
  { atMs: 220, began: "list" },
  line(300, 7),
  line(400, 90),
];

describe("what a meter has seen", () => {
  test("is the worst within the span, ends included", () =>
    expect(worstWithin(lines, { fromMs: 200, untilMs: 300 })).toEqual({ stallMs: 7, stallCpuMs: 3.5, residentMb: 70 }));

  test("a list began with the last request before its end: those before were refused", () =>
    expect([listBegan(lines, 219), listBegan(lines, 390)]).toEqual([120, 220]));

  test("a list that nobody asked for has no beginning", () =>
    expect(() => listBegan(lines, 119)).toThrow("when it began"));
});
