import { describe, expect, test } from "@jest/globals";
import { judgeReplay, judgeSearch } from "../../../operator/task/judge/search.ts";
import { ZERO } from "../../../operator/task/credits.ts";
import type { Mark } from "../../../operator/task/mark.ts";
import type { SearchOutcome, SubmitOutcome } from "../../../operator/task/outcome.ts";
import { JOB, MINUTE, NOON, SECOND, after, record, seen, settings, unknown } from "../../builders/seen.ts";

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
    expect(look(0, 1, { outcome: "found", jobId: JOB })).toEqual({ type: "accepted", jobId: JOB, pollAfterMs: SECOND });
  });
  test("one miss proves nothing, however late", () => {
    expect(look(0, 3600, { outcome: "missed" })).toMatchObject({ type: "look", look: { missed: true } });
  });
  test("a miss too few proves nothing after the settle delay", () => {
    expect(look(1, 60, { outcome: "missed" })).toMatchObject({ type: "look" });
  });
  test("many misses before the settle delay prove nothing", () => {
    expect(look(20, 59, { outcome: "missed" })).toMatchObject({ type: "look" });
  });
  test("enough misses after the settle delay prove absence", () => {
    expect(look(2, 60, { outcome: "missed" })).toEqual({
      type: "end",
      ending: { reason: "NotCreated", charge: ZERO, retryAfterMs: undefined, task: undefined },
      assets: [],
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
  test("an exact list proves absence, as a look-up does", () => {
    const list = settings({ capabilities: { correlate: "Exact" } });
    expect(look(2, 60, { outcome: "missed" }, list)).toMatchObject({ type: "end" });
    expect(look(2, 60, { outcome: "found", jobId: JOB }, list)).toMatchObject({ type: "accepted" });
  });
  test("nothing proves absence once the provider has said that it took the submit", () => {
    const attempt = unknown({ search: { misses: 20, looks: 20, nextAt: undefined, takenAt: NOON } });
    const late = seen({ now: after(NOON, 60 * MINUTE) });
    const looked = { attempt, method: "look-up", settings: exact } as const;
    expect(judgeSearch(late, looked, { outcome: "missed" }, RANDOM)).toMatchObject({
      type: "look",
      look: { missed: true },
    });
  });
  test.each([
    { outcome: { outcome: "found", jobId: JOB } as const, jobs: `job "${JOB}" at the provider looks like ours` },
    { outcome: { outcome: "several", count: 2 } as const, jobs: "2 jobs at the provider look like ours" },
  ])("a heuristic match that is $outcome.outcome is put before a person, and not adopted", ({ jobs, outcome }) => {
    const message = `cannot tell whether the provider took the submit: ${jobs}; set spec.resolution for attempt 1 to BindJob or NotCreated`;
    expect(look(0, 1, outcome, heuristic)).toEqual({ type: "park", parked: { reason: "SubmitUnresolved", message } });
  });
  test("several jobs under our own id are put before a person as well", () => {
    expect(look(0, 1, { outcome: "several", count: 2 })).toMatchObject({ type: "park" });
  });
  test("the time to the next look grows, is never less than the provider asks for, and is long while a person is waited for", () => {
    const unanswered = { outcome: "unanswered", code: "status-429", retryAfterMs: 70 * SECOND } as const;
    const waits = [0, 1, 2, 20].map((looks) => look(looks, 1, { outcome: "missed" }));
    expect(waits).toEqual(
      [2, 4, 8, 60].map((seconds) => ({
        type: "look",
        look: { missed: true, taken: false, nextAfterMs: seconds * SECOND },
      })),
    );
    expect(look(0, 1, unanswered)).toMatchObject({ look: { nextAfterMs: 70 * SECOND } });
    const parked = record({ parked: { reason: "SubmitUnresolved", message: "m", at: NOON } });
    const looked = { attempt: unknown(), method: "look-up", settings: exact } as const;
    expect(judgeSearch(seen({ record: parked }), looked, { outcome: "missed" }, RANDOM)).toMatchObject({
      look: { nextAfterMs: 5 * MINUTE },
    });
  });
  test("a replay that is told the key was used, and by which job, ends the doubt", () => {
    expect(judgeReplay(seen(), unknown(), { outcome: "reused", jobId: JOB }, RANDOM)).toEqual({
      type: "accepted",
      jobId: JOB,
      pollAfterMs: SECOND,
    });
  });
  test("a replay that is told only that the key was used knows that there is a job, and looks for it", () => {
    expect(judgeReplay(seen(), unknown(), { outcome: "reused", jobId: undefined }, RANDOM)).toEqual({
      type: "look",
      look: { missed: false, taken: true, nextAfterMs: 2 * SECOND },
    });
  });
  test("a replay that is throttled waits as long as it is told", () => {
    const throttled = { outcome: "throttled", code: "status-429", retryAfterMs: 70 * SECOND } as const;
    expect(judgeReplay(seen(), unknown(), throttled, RANDOM)).toEqual({
      type: "look",
      look: { missed: false, taken: false, nextAfterMs: 70 * SECOND },
    });
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
