import { describe, expect, test } from "@jest/globals";
import { judgeReplay, judgeSearch } from "../../../operator/task/judge/search.ts";
import { ZERO } from "../../../operator/task/credits.ts";
import type { Mark } from "../../../operator/task/mark.ts";
import type { SearchOutcome, SubmitOutcome } from "../../../operator/task/outcome.ts";
import { JOB, NOON, SECOND, after, seen, settings, unknown } from "../../builders/seen.ts";

const RANDOM = 0.5;

describe("what a look for a lost job proves", () => {
  const exact = settings({ capabilities: { lookupByClientID: true } });
  const heuristic = settings({ capabilities: { correlate: "Heuristic" } });
  const look = (misses: number, seconds: number, outcome: SearchOutcome, provider = exact): Mark =>
    judgeSearch(
      seen({ now: after(NOON, seconds * SECOND) }),
      {
        attempt: unknown({ search: { misses, looks: misses, nextAt: undefined } }),
        method: provider === exact ? "look-up" : "list",
        settings: provider,
      },
      outcome,
      RANDOM,
    );

  test("a job that is found is adopted", () => {
    expect(look(0, 1, { outcome: "found", jobId: JOB })).toMatchObject({ type: "accepted", jobId: JOB });
  });
  test("one miss proves nothing, however late", () => {
    expect(look(0, 3600, { outcome: "missed" })).toMatchObject({ type: "look", look: { missed: true } });
  });
  test("many misses before the settle delay prove nothing", () => {
    expect(look(20, 59, { outcome: "missed" })).toMatchObject({ type: "look" });
  });
  test("enough misses after the settle delay prove absence", () => {
    expect(look(2, 60, { outcome: "missed" })).toMatchObject({
      type: "end",
      ending: { reason: "NotCreated", charge: ZERO, task: undefined },
    });
  });
  test("an unanswered look does not count as a miss", () => {
    expect(look(2, 60, { outcome: "unanswered", code: "status-500", retryAfterMs: undefined })).toMatchObject({
      type: "look",
      look: { missed: false },
    });
  });
  test("a heuristic miss never proves absence", () => {
    expect(look(50, 3600, { outcome: "missed" }, heuristic)).toMatchObject({ type: "look" });
  });
  test("a heuristic match is put before a person, not adopted", () => {
    expect(look(0, 1, { outcome: "found", jobId: JOB }, heuristic)).toMatchObject({
      type: "park",
      parked: { reason: "SubmitUnresolved" },
    });
  });
  test("several candidates are put before a person", () => {
    expect(look(0, 1, { outcome: "several", count: 2 })).toMatchObject({ type: "park" });
  });
  test("a replay that is accepted ends the doubt", () => {
    expect(judgeReplay(seen(), unknown(), { outcome: "accepted", jobId: JOB }, RANDOM)).toMatchObject({
      type: "accepted",
    });
  });
  test.each<SubmitOutcome>([
    { outcome: "refused", code: "status-422", content: false },
    { outcome: "throttled", code: "status-429", retryAfterMs: undefined },
    { outcome: "not-sent", code: "refused" },
    { outcome: "ambiguous", code: "reset" },
    { outcome: "locked-out", code: "status-401" },
  ])("a replay that is $outcome says nothing about the first request", (outcome) => {
    expect(judgeReplay(seen(), unknown(), outcome, RANDOM)).toMatchObject({ type: "look", look: { missed: false } });
  });
});
