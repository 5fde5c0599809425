import { describe, expect, test } from "@jest/globals";
import { judgeFetch } from "../../../operator/task/judge/fetch.ts";
import { judgeQuery } from "../../../operator/task/judge/query.ts";
import { judgeReplay, judgeSearch } from "../../../operator/task/judge/search.ts";
import { MAX_FREE_ATTEMPTS, judgeSubmit } from "../../../operator/task/judge/submit.ts";
import { ZERO, micro } from "../../../operator/task/credits.ts";
import type { Mark } from "../../../operator/task/mark.ts";
import type { FetchOutcome, QueryOutcome, SearchOutcome, SubmitOutcome } from "../../../operator/task/outcome.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import {
  JOB,
  MINUTE,
  NOON,
  SECOND,
  accepted,
  after,
  ready,
  record,
  seen,
  sent,
  settings,
  task,
  unknown,
} from "../../builders/seen.ts";

const RANDOM = 0.5;

describe("what the answer to a submit proves", () => {
  const rows: readonly {
    readonly when: string;
    readonly outcome: SubmitOutcome;
    readonly then: Partial<Mark>;
    readonly freeAttempts?: number;
  }[] = [
    { when: "an id is a job", outcome: { outcome: "accepted", jobId: JOB }, then: { type: "accepted", jobId: JOB } },
    {
      when: "anything unclear is no failure",
      outcome: { outcome: "ambiguous", code: "status-502" },
      then: { type: "ambiguous", code: "status-502" },
    },
    {
      when: "what never left is tried again, and costs nothing",
      outcome: { outcome: "not-sent", code: "refused" },
      then: { type: "end", ending: expect.objectContaining({ reason: "NotCreated", charge: ZERO, task: undefined }) },
    },
    {
      when: "Retry-After is a floor",
      outcome: { outcome: "throttled", code: "status-429", retryAfterMs: 90_000 },
      then: { type: "end", ending: expect.objectContaining({ reason: "NotCreated", retryAfterMs: 90_000 }) },
    },
    {
      when: "a wrong credential holds the task instead of failing it",
      outcome: { outcome: "locked-out", code: "status-401" },
      then: {
        type: "end",
        ending: expect.objectContaining({ reason: "NotCreated", task: undefined, retryAfterMs: 30_000 }),
      },
    },
    {
      when: "a refusal for good fails the task at no charge",
      outcome: { outcome: "refused", code: "status-422", content: false },
      then: {
        type: "end",
        ending: expect.objectContaining({
          reason: "Refused",
          charge: ZERO,
          task: expect.objectContaining({ reason: "JobRefused" }),
        }),
      },
    },
    {
      when: "refused content is named as such",
      outcome: { outcome: "refused", code: "status-400", content: true },
      then: {
        type: "end",
        ending: expect.objectContaining({ task: expect.objectContaining({ reason: "ContentRefused" }) }),
      },
    },
    {
      when: "attempts that are never created are bounded",
      outcome: { outcome: "not-sent", code: "refused" },
      freeAttempts: MAX_FREE_ATTEMPTS - 1,
      then: {
        type: "end",
        ending: expect.objectContaining({ task: expect.objectContaining({ reason: "NeverCreated" }) }),
      },
    },
  ];
  test.each(rows)("$when", ({ freeAttempts = 0, outcome, then }) => {
    expect(judgeSubmit(seen({ freeAttempts }), sent(), outcome, RANDOM)).toMatchObject(then);
  });
});

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

describe("what a query proves", () => {
  const job = (
    state: Extract<QueryOutcome, { outcome: "job" }>["state"],
    overrides: Partial<Extract<QueryOutcome, { outcome: "job" }>> = {},
  ): QueryOutcome => ({
    outcome: "job",
    state,
    progress: undefined,
    outputs: [],
    cost: undefined,
    failure: undefined,
    ...overrides,
  });
  const output = { url: "https://cdn.acme.example/a", name: undefined, mediaType: undefined, bytes: undefined };
  interface Row {
    readonly when: string;
    readonly outcome: QueryOutcome;
    readonly then: Partial<Mark>;
    readonly attempt?: AttemptIn<"accepted">;
    readonly seen?: Partial<Observation>;
  }
  const doubtedSince = (seconds: number): AttemptIn<"accepted"> =>
    accepted({ emptySince: after(NOON, -seconds * SECOND) });
  const rows: readonly Row[] = [
    {
      when: "a running job is polled again",
      outcome: job("running", { progress: 40 }),
      then: { type: "poll", poll: expect.objectContaining({ progress: 40, doubtful: false }) },
    },
    { when: "a word we do not know is not an end", outcome: job("unrecognised"), then: { type: "poll" } },
    {
      when: "an error of the query is not an error of the job",
      outcome: { outcome: "unanswered", code: "status-500", retryAfterMs: undefined },
      then: { type: "poll" },
    },
    {
      when: "Retry-After of a query is a floor",
      outcome: { outcome: "unanswered", code: "status-429", retryAfterMs: 60_000 },
      then: { type: "poll", poll: expect.objectContaining({ nextAfterMs: 60_000 }) },
    },
    {
      when: "completed with outputs is ready",
      outcome: job("succeeded", { outputs: [output], cost: micro(5n) }),
      then: { type: "ready", cost: 5n } as Partial<Mark>,
    },
    {
      when: "completed without output is doubted first",
      outcome: job("succeeded"),
      then: { type: "poll", poll: expect.objectContaining({ doubtful: true }) },
    },
    {
      when: "completed without output is believed after a while, and is no success",
      outcome: job("succeeded", { cost: micro(7n) }),
      attempt: doubtedSince(30),
      then: {
        type: "end",
        ending: expect.objectContaining({
          reason: "OutputsUnusable",
          charge: 7n,
          task: expect.objectContaining({ phase: "Failed", reason: "OutputMissing" }),
        }),
      },
    },
    {
      when: "a job that is not found may only be late",
      outcome: { outcome: "missing" },
      then: { type: "poll", poll: expect.objectContaining({ doubtful: true }) },
    },
    {
      when: "a job that stays lost fails without a new one",
      outcome: { outcome: "missing" },
      attempt: doubtedSince(30),
      then: {
        type: "end",
        ending: expect.objectContaining({ reason: "JobLost", task: expect.objectContaining({ phase: "Failed" }) }),
      },
    },
    {
      when: "an unanswered query keeps the doubt",
      outcome: { outcome: "unanswered", code: "reset", retryAfterMs: undefined },
      attempt: doubtedSince(10),
      then: { type: "poll", poll: expect.objectContaining({ doubtful: true }) },
    },
    {
      when: "a failed job gives its credits back when nothing was billed",
      outcome: job("failed", { failure: "oom" }),
      then: {
        type: "end",
        ending: expect.objectContaining({
          reason: "JobFailed",
          charge: ZERO,
          task: expect.objectContaining({ phase: "Failed" }),
        }),
      },
    },
    {
      when: "a failed job that was billed is settled",
      outcome: job("failed", { cost: micro(9n) }),
      then: { type: "end", ending: expect.objectContaining({ charge: 9n }) },
    },
    {
      when: "the retry policy allows another attempt after a proved failure",
      outcome: job("failed"),
      seen: { task: task({ wish: { retryPolicy: { maxAttempts: 2 } } }) },
      then: { type: "end", ending: expect.objectContaining({ task: undefined }) },
    },
    {
      when: "no other attempt follows beyond the policy",
      outcome: job("failed"),
      seen: { paidAttempts: 2, task: task({ wish: { retryPolicy: { maxAttempts: 2 } } }) },
      then: { type: "end", ending: expect.objectContaining({ task: expect.anything() }) },
    },
    {
      when: "a cancelled task does not try again",
      outcome: job("failed"),
      seen: { task: task({ wish: { cancelRequested: true, retryPolicy: { maxAttempts: 9 } } }) },
      then: { type: "end", ending: expect.objectContaining({ task: expect.anything() }) },
    },
    {
      when: "a confirmed cancel ends the task as asked",
      outcome: job("cancelled"),
      attempt: accepted({ cancelAskedAt: NOON }),
      seen: { task: task({ wish: { cancelRequested: true } }) },
      then: {
        type: "end",
        ending: expect.objectContaining({ reason: "Cancelled", task: expect.objectContaining({ phase: "Cancelled" }) }),
      },
    },
    {
      when: "a cancel that we sent for the deadline fails the task",
      outcome: job("cancelled"),
      attempt: accepted({ cancelAskedAt: NOON }),
      then: {
        type: "end",
        ending: expect.objectContaining({
          task: expect.objectContaining({ phase: "Failed", reason: "DeadlineExceeded" }),
        }),
      },
    },
    {
      when: "a cancel by the provider itself fails the task",
      outcome: job("cancelled"),
      then: {
        type: "end",
        ending: expect.objectContaining({ task: expect.objectContaining({ reason: "CancelledByProvider" }) }),
      },
    },
    {
      when: "a job that finished before its cancel is still fetched: it is paid for",
      outcome: job("succeeded", { outputs: [output] }),
      attempt: accepted({ cancelAskedAt: NOON }),
      then: { type: "ready" },
    },
    {
      when: "a parked task is polled rarely",
      outcome: job("running"),
      seen: { record: record({ parked: { reason: "JobStalled", message: "m", at: NOON } }) },
      then: { type: "poll", poll: expect.objectContaining({ nextAfterMs: 5 * MINUTE }) },
    },
  ];
  test.each(rows)("$when", (row) => {
    expect(
      judgeQuery(seen({ attempt: accepted(), ...row.seen }), row.attempt ?? accepted(), row.outcome, RANDOM),
    ).toMatchObject(row.then);
  });
});

describe("what an attempt at copying proves", () => {
  const asset = { name: "output-0", uri: "s3://b/k", mediaType: "image/png", bytes: 1, sha256: "0".repeat(64) };
  const fetch = (outcome: FetchOutcome, attempt = ready(), now = NOON): Mark =>
    judgeFetch(seen({ now }), { attempt, settings: settings() }, outcome, RANDOM);

  test("published outputs end the task, charged what was billed", () => {
    expect(fetch({ outcome: "published", assets: [asset] })).toMatchObject({
      type: "end",
      assets: [asset],
      ending: { reason: "Succeeded", charge: 60_000n, task: { phase: "Succeeded" } },
    });
  });
  test("without the provider's word a delivered job costs what was held", () => {
    expect(fetch({ outcome: "published", assets: [asset] }, ready({ cost: undefined }))).toMatchObject({
      ending: { charge: 100_000n },
    });
  });
  test("expired outputs fail the task and never lead to a new job", () => {
    expect(fetch({ outcome: "expired" })).toMatchObject({
      type: "end",
      ending: { reason: "OutputsUnusable", task: { phase: "Failed", reason: "OutputExpired" } },
    });
  });
  test("an unusable output is fetched again before it is believed", () => {
    expect(fetch({ outcome: "unusable", message: "m" })).toMatchObject({ type: "fetch-again" });
    expect(fetch({ outcome: "unusable", message: "m" }, ready({ fetches: 2 }))).toMatchObject({
      type: "end",
      ending: { task: { reason: "OutputUnusable", message: "m" } },
    });
  });
  test("an interruption is waited out while the outputs may still be there", () => {
    const interrupted: FetchOutcome = { outcome: "interrupted", code: "reset", retryAfterMs: undefined };
    expect(fetch(interrupted, ready({ fetches: 99 }), after(NOON, 59 * MINUTE))).toMatchObject({ type: "fetch-again" });
    expect(fetch(interrupted, ready({ fetches: 99 }), after(NOON, 60 * MINUTE))).toMatchObject({
      type: "end",
      ending: { task: { reason: "FetchFailed" } },
    });
  });
});
