import { describe, expect, test } from "@jest/globals";
import { judgeQuery } from "../../../operator/task/judge/query.ts";
import { ZERO, micro } from "../../../operator/task/credits.ts";
import type { Mark } from "../../../operator/task/mark.ts";
import type { QueryOutcome } from "../../../operator/task/outcome.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import { MINUTE, NOON, SECOND, accepted, after, record, seen, task } from "../../builders/seen.ts";

const RANDOM = 0.5;

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
    readonly then: Readonly<Record<string, unknown>> & { readonly type: Mark["type"] };
    readonly attempt?: AttemptIn<"accepted">;
    readonly seen?: Partial<Observation>;
  }
  const doubtedSince = (seconds: number): AttemptIn<"accepted"> =>
    accepted({ emptySince: after(NOON, -seconds * SECOND) });
  const missedSince = (seconds: number, answers: number): AttemptIn<"accepted"> =>
    accepted({ missing: { since: after(NOON, -seconds * SECOND), answers } });
  const lost = expect.objectContaining({
    reason: "JobLost",
    charge: ZERO,
    task: { phase: "Failed", reason: "JobLost", message: REASONS.JobLost },
  });
  const doubted = { type: "poll", poll: expect.objectContaining({ doubt: "missing" }) } as const;
  const missing = { outcome: "missing", documented: true } as const;
  const bare404 = { outcome: "missing", documented: false } as const;
  const unanswered = { outcome: "unanswered", code: "reset", retryAfterMs: undefined } as const;
  const rows: readonly Row[] = [
    {
      when: "a running job is polled again",
      outcome: job("running", { progress: 40 }),
      then: { type: "poll", poll: expect.objectContaining({ progress: 40, doubt: "none" }) },
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
      then: { type: "ready", cost: 5n },
    },
    {
      when: "completed without output is doubted first",
      outcome: job("succeeded"),
      then: { type: "poll", poll: expect.objectContaining({ doubt: "empty" }) },
    },
    {
      when: "completed without output is still doubted just before half a minute of it",
      outcome: job("succeeded"),
      attempt: doubtedSince(29),
      then: { type: "poll", poll: expect.objectContaining({ doubt: "empty" }) },
    },
    {
      when: "completed without output is believed after a while, and is no success",
      outcome: job("succeeded", { cost: micro(7n) }),
      attempt: doubtedSince(30),
      then: {
        type: "end",
        assets: [],
        ending: {
          reason: "OutputsUnusable",
          charge: 7n,
          retryAfterMs: undefined,
          task: { phase: "Failed", reason: "OutputMissing", message: REASONS.OutputMissing },
        },
      },
    },
    ...[
      { of: "a query that is not answered", outcome: unanswered, progress: 30 },
      { of: "a job that is not found just now", outcome: missing, progress: 30 },
      { of: "an answer that names none", outcome: job("running"), progress: 30 },
      { of: "an answer that names another", outcome: job("queued", { progress: 40 }), progress: 40 },
    ].map(({ of, outcome, progress }) => ({
      when: `progress after ${of} is what was last said`,
      outcome,
      attempt: accepted({ progress: 30 }),
      then: { type: "poll", poll: expect.objectContaining({ progress }) } as const,
    })),
    { when: "a job that is not found may only be late", outcome: missing, then: doubted },
    {
      when: "a job that stays lost, as the provider itself says, fails without a new one",
      outcome: missing,
      attempt: missedSince(30, 1),
      then: { type: "end", ending: lost },
    },
    { when: "not before half a minute", outcome: missing, attempt: missedSince(29, 9), then: doubted },
    {
      when: "an old doubt about its outputs is no doubt about the job",
      outcome: missing,
      attempt: doubtedSince(999),
      then: doubted,
    },
    {
      when: "a mere 404, perhaps of a gateway, is not believed for half a minute of it",
      outcome: bare404,
      attempt: missedSince(30, 30),
      then: doubted,
    },
    {
      when: "nor when it was said but a few times, however long ago",
      outcome: bare404,
      attempt: missedSince(3600, 6),
      then: doubted,
    },
    {
      when: "a mere 404 is believed after ten minutes of it",
      outcome: bare404,
      attempt: missedSince(600, 7),
      then: { type: "end", ending: lost },
    },
    {
      when: "an unanswered query keeps the doubt",
      outcome: { outcome: "unanswered", code: "reset", retryAfterMs: undefined },
      attempt: doubtedSince(10),
      then: { type: "poll", poll: expect.objectContaining({ doubt: "kept" }) },
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
      seen: { task: task({ wish: { activeDeadlineSeconds: 1 } }), now: after(NOON, 5000 * SECOND) },
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
