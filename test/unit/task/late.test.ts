// What is done at one visit to a late search, and what an answer makes of it.
import { describe, expect, test } from "@jest/globals";
import type { AttemptId } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import { decideLate, judgeLateClaim, judgeLateLook } from "../../../operator/task/late.ts";
import type { LateAction, LateIn, LookMark } from "../../../operator/task/late.ts";
import type { QueryOutcome } from "../../../operator/task/outcome.ts";
import { LATE_HORIZON_MS, PARKED_LOOK_MS, lateLookMs, lateWatchMs } from "../../../operator/task/schedule.ts";
import { JOB, MINUTE, NOON, SECOND, after, settings } from "../../builders/seen.ts";

const ID = "00000000-0000-4000-8000-000000000001" as AttemptId;
const HELD = micro(90n);
const attempt = { id: ID, number: 1, provider: "acme", model: "acme-image", held: HELD, sentAt: NOON };
const given = { attempt, begunAt: NOON, looks: 0 };

function searching(changes: Partial<LateIn<"searching">> = {}): LateIn<"searching"> {
  return { ...given, state: "searching", claim: undefined, ...changes };
}

function found(changes: Partial<LateIn<"found">> = {}): LateIn<"found"> {
  return { ...given, state: "found", jobId: JOB, foundAt: NOON, cancelAskedAt: undefined, missing: 0, ...changes };
}

const withCapabilities = (capabilities: object) => settings({ capabilities });

describe("a late search is", () => {
  const late = searching();
  const named = searching({ claim: { jobId: JOB, looks: 0 } });
  const wait = (ms: number): LateAction => ({ type: "wait", ms });
  const look = (method: "look-up" | "list"): LateAction => ({ type: "look", late, method });
  test.each([
    {
      when: "a look-up by our id",
      capabilities: { lookupByClientID: true, correlate: "Exact" },
      then: look("look-up"),
    },
    { when: "a look into an exact list", capabilities: { correlate: "Exact" }, then: look("list") },
    { when: "never a likeness", capabilities: { correlate: "Heuristic" }, then: wait(720 * MINUTE) },
    {
      when: "never a replay, inside its window or not",
      capabilities: { idempotency: "Replay" },
      then: wait(720 * MINUTE),
    },
    { when: "nothing without a handle", capabilities: {}, then: wait(720 * MINUTE) },
  ])("$when", ({ capabilities, then }) => {
    expect(decideLate(late, withCapabilities(capabilities), after(NOON, MINUTE))).toEqual(then);
  });

  test("a question for the job that a webhook names, before anything else, where this provider's webhooks name jobs", () => {
    const capabilities = { webhookAdoption: true, lookupByClientID: true };
    expect(decideLate(named, withCapabilities(capabilities), NOON)).toEqual({
      type: "confirm",
      late: named,
      jobId: JOB,
    });
    expect(decideLate(named, withCapabilities({ lookupByClientID: true }), NOON)).toMatchObject({ type: "look" });
  });

  test("one that nobody answers for takes turns with what else there is to look by, and is asked for alone where there is nothing else", () => {
    const both = withCapabilities({ webhookAdoption: true, lookupByClientID: true });
    const asked = (claimLooks: number, looks: number, known = both): string =>
      decideLate(searching({ claim: { jobId: JOB, looks: claimLooks }, looks }), known, NOON).type;
    expect([7, 8].map((looks) => asked(looks, 0))).toEqual(["confirm", "look"]);
    expect([8, 9].map((looks) => asked(looks, 1))).toEqual(["confirm", "look"]);
    expect(asked(99, 0, withCapabilities({ webhookAdoption: true }))).toBe("confirm");
  });

  test("put off while its provider is not there", () => {
    expect(decideLate(late, undefined, NOON)).toEqual(wait(PARKED_LOOK_MS));
    expect(decideLate(found(), undefined, NOON)).toEqual(wait(PARKED_LOOK_MS));
  });

  test("over after its time, whether its provider is there or not: for nothing, or as a job that was expected to cost what was held", () => {
    const end = after(NOON, LATE_HORIZON_MS);
    expect(decideLate(late, undefined, end)).toEqual({ type: "close", close: { verdict: "none", charge: 0n } });
    expect(decideLate(found(), settings(), end)).toEqual({
      type: "close",
      close: { verdict: "unended", charge: HELD },
    });
    const foundAtLast = found({ foundAt: end });
    expect(decideLate(foundAtLast, settings(), end)).toMatchObject({ type: "query" });
    expect(decideLate(late, settings(), after(end, -1))).toMatchObject({ type: "wait" });
  });
});

describe("a look", () => {
  test("that finds it is believed, and the job is asked for at once", () => {
    const outcome = { outcome: "found", jobId: JOB } as const;
    expect(judgeLateLook(searching(), "list", outcome, 0.5)).toEqual({
      type: "found",
      jobId: JOB,
      by: "list",
      nextAfterMs: 0,
    });
  });

  test.each([
    { outcome: { outcome: "missed" } as const, nextAfterMs: 9 * MINUTE },
    { outcome: { outcome: "several", count: 2 } as const, nextAfterMs: 9 * MINUTE },
    { outcome: { outcome: "unanswered", code: "reset", retryAfterMs: 15 * MINUTE } as const, nextAfterMs: 15 * MINUTE },
    { outcome: { outcome: "unanswered", code: "reset", retryAfterMs: undefined } as const, nextAfterMs: 9 * MINUTE },
  ])("that ends as $outcome.outcome is repeated later", ({ nextAfterMs, outcome }) => {
    expect(judgeLateLook(searching({ looks: 1 }), "list", outcome, 0.5)).toEqual({ type: "looked", nextAfterMs });
  });
});

test("the times of looks grow, are capped, and are some twenty in the time that there is", () => {
  const times = [0, 1, 2, 3, 4, 5, 6, 7, 1e9].map((looks) => lateLookMs(looks, undefined, 0.5));
  expect(times).toEqual([1, 3, 9, 27, 81, 243, 720, 720, 720].map((minutes) => minutes * MINUTE));
  let [looks, passedMs] = [0, 0];
  for (; passedMs < LATE_HORIZON_MS; looks += 1) passedMs += lateLookMs(looks, undefined, 0.5);
  expect(looks).toBe(20);
  expect(lateWatchMs(0, undefined, 0.5)).toBe(15 * SECOND);
  expect(lateWatchMs(99, undefined, 0.5)).toBe(15 * MINUTE);
});

type Job = Extract<QueryOutcome, { readonly outcome: "job" }>;

function job(state: Job["state"], changes: Partial<Job> = {}): Job {
  return { outcome: "job", state, progress: undefined, outputs: [], cost: undefined, failure: undefined, ...changes };
}

const missing = (documented: boolean): QueryOutcome => ({ outcome: "missing", documented });
const unanswered: QueryOutcome = { outcome: "unanswered", code: "reset", retryAfterMs: undefined };

describe("a claim", () => {
  test("that nobody has made is not judged", () => {
    expect(() => judgeLateClaim(searching(), unanswered, 0.5)).toThrow("nobody has named a job");
  });

  const isFound: Partial<LookMark> = { type: "found", jobId: JOB, by: "webhook" };
  test.each([
    { when: "the job is there, and shows no id of ours", looks: 0, outcome: job("running"), then: isFound },
    { when: "the job is there, and shows our id", looks: 0, outcome: job("failed", { ref: ID }), then: isFound },
    {
      when: "the job shows another id",
      looks: 0,
      outcome: job("running", { ref: "other" }),
      then: { type: "claim", refused: true },
    },
    { when: "there is no such job yet", looks: 1, outcome: missing(true), then: { type: "claim", refused: false } },
    {
      when: "there is none at the third look",
      looks: 2,
      outcome: missing(true),
      then: { type: "claim", refused: true },
    },
    { when: "nobody answers, however often", looks: 9, outcome: unanswered, then: { type: "claim", refused: false } },
  ])("when $when is judged so", ({ looks, outcome, then }) => {
    expect(judgeLateClaim(searching({ claim: { jobId: JOB, looks } }), outcome, 0.5)).toMatchObject(then);
  });
});
