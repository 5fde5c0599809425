// What the provider's answer makes of a job that turned up after its attempt was given up.
import { describe, expect, test } from "@jest/globals";
import type { AttemptId } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import { judgeLateQuery } from "../../../operator/task/late.ts";
import type { LateIn } from "../../../operator/task/late.ts";
import type { QueryOutcome } from "../../../operator/task/outcome.ts";
import { JOB, MINUTE, NOON, SECOND, after, settings } from "../../builders/seen.ts";

const HELD = micro(90n);
const id = "00000000-0000-4000-8000-000000000001" as AttemptId;

function found(changes: Partial<LateIn<"found">> = {}): LateIn<"found"> {
  const attempt = { id, number: 1, provider: "acme", model: "acme-image", held: HELD, sentAt: NOON };
  const job = { jobId: JOB, foundAt: NOON, cancelAskedAt: undefined, missing: 0 };
  return { attempt, begunAt: NOON, looks: 0, state: "found", ...job, ...changes };
}

type Job = Extract<QueryOutcome, { readonly outcome: "job" }>;

function job(state: Job["state"], changes: Partial<Job> = {}): Job {
  return { outcome: "job", state, progress: undefined, outputs: [], cost: undefined, failure: undefined, ...changes };
}

const missing = (documented: boolean): QueryOutcome => ({ outcome: "missing", documented });
const unanswered: QueryOutcome = { outcome: "unanswered", code: "reset", retryAfterMs: undefined };

describe("a job that was found", () => {
  const cancelling = settings({ capabilities: { cancel: "Request" } });
  const closed = (verdict: string, charge: bigint): unknown => ({ type: "close", close: { verdict, charge } });
  test.each([
    {
      when: "runs",
      late: found(),
      outcome: job("running"),
      then: { type: "alive", cancel: true, nextAfterMs: 15 * SECOND },
    },
    {
      when: "waits",
      late: found({ looks: 2 }),
      outcome: job("queued"),
      then: { type: "alive", cancel: true, nextAfterMs: MINUTE },
    },
    {
      when: "was asked to cancel",
      late: found({ cancelAskedAt: NOON }),
      outcome: job("running"),
      then: { type: "alive", cancel: false },
    },
    {
      when: "is in a state with a strange name",
      late: found(),
      outcome: job("unrecognised"),
      then: { type: "alive", cancel: false },
    },
    {
      when: "succeeded at a price",
      late: found(),
      outcome: job("succeeded", { cost: micro(7n) }),
      then: closed("succeeded", 7n),
    },
    { when: "succeeded without one", late: found(), outcome: job("succeeded"), then: closed("succeeded", HELD) },
    { when: "failed", late: found(), outcome: job("failed"), then: closed("failed", 0n) },
    {
      when: "failed at a price",
      late: found(),
      outcome: job("failed", { cost: micro(3n) }),
      then: closed("failed", 3n),
    },
    { when: "was cancelled", late: found(), outcome: job("cancelled"), then: closed("cancelled", 0n) },
    { when: "is not known just now", late: found(), outcome: missing(true), then: { type: "unclear", missing: 1 } },
    {
      when: "is twice not known, in words",
      late: found({ missing: 1 }),
      outcome: missing(true),
      then: closed("lost", 0n),
    },
    {
      when: "is twice not known, by a status",
      late: found({ missing: 1 }),
      outcome: missing(false),
      then: { type: "unclear", missing: 2 },
    },
    {
      when: "is eight times not known",
      late: found({ missing: 7 }),
      outcome: missing(false),
      then: closed("lost", 0n),
    },
    {
      when: "can't be asked for",
      late: found({ missing: 1 }),
      outcome: unanswered,
      then: { type: "unclear", missing: 1 },
    },
  ])("and $when is judged so", ({ late, outcome, then }) => {
    expect(judgeLateQuery({ late, settings: cancelling, now: NOON }, outcome, 0.5)).toMatchObject(then as object);
  });

  test("runs on where its outputs are to be kept, which are tried for as long as the provider keeps them", () => {
    const keeping = settings({ capabilities: { cancel: "Request" }, unknown: { lateJobs: "Keep" } });
    const asked = { late: found(), settings: keeping, now: NOON };
    expect(judgeLateQuery(asked, job("running"), 0.5)).toMatchObject({ type: "alive", cancel: false });
    const done = job("succeeded", { outputs: [{ url: "u", name: undefined, mediaType: undefined, bytes: 1 }] });
    expect(judgeLateQuery(asked, done, 0.5)).toMatchObject({ type: "keep", mayRetry: true, close: { charge: HELD } });
    const old = { ...asked, now: after(NOON, 60 * MINUTE) };
    expect(judgeLateQuery(old, done, 0.5)).toMatchObject({ type: "keep", mayRetry: false });
    expect(judgeLateQuery(asked, job("succeeded"), 0.5)).toMatchObject({ type: "close" });
  });

  test("is not cancelled where the provider can't", () => {
    expect(judgeLateQuery({ late: found(), settings: settings(), now: NOON }, job("running"), 0.5)).toMatchObject({
      type: "alive",
      cancel: false,
    });
  });
});
