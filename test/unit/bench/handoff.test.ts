import { describe, expect, test } from "@jest/globals";
import { countOf, gapBetween, newestOf, spacingsOf } from "../../bench/handoff/acts.ts";

const act = (epoch: number, atMs: number): { readonly epoch: number; readonly atMs: number } => ({ epoch, atMs });
const ACTS = [act(3, 130), act(2, 100), act(2, 20), act(2, 50), act(3, 150)];

describe("what the rows of two terms tell", () => {
  test("the gap is from the last of the one to the first of the other, in whatever order they come", () => {
    expect(gapBetween(ACTS, 2, 3)).toBe(30);
  });

  test("terms that overlap have a gap below zero: it is shown, not hidden", () => {
    expect(gapBetween([...ACTS, act(2, 140)], 2, 3)).toBe(-10);
  });

  test("a term without an act has no gap", () => {
    expect(() => gapBetween(ACTS, 2, 4)).toThrow("a term has done nothing");
    expect(() => gapBetween(ACTS, 1, 3)).toThrow("a term has done nothing");
  });

  test("the spacing is between the acts of one term only", () => {
    expect(spacingsOf(ACTS, 2)).toEqual([30, 50]);
    expect(spacingsOf(ACTS, 1)).toEqual([]);
  });

  test("the newest term and its acts", () => {
    expect([newestOf(ACTS), countOf(ACTS, 3), newestOf([])]).toEqual([3, 2, 0]);
  });
});
