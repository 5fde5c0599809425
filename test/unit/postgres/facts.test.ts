// A row of the database as what is known of a task: which column belongs to which state, and what null means.
import { describe, expect, test } from "@jest/globals";
import { factsIn } from "../../../operator/postgres/load.ts";
import { attemptOf } from "../../../operator/postgres/rows.ts";
import type { AttemptRow } from "../../../operator/postgres/rows.ts";
import type { AttemptId, TaskKey } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import type { Facts } from "../../../operator/task/facts.ts";
import { JOB, KEY, MINUTE, NOON, accepted, after, ended, intended, ready, record, sent } from "../../builders/seen.ts";
import { recorder } from "./recorder.ts";

const LATER = after(NOON, MINUTE);

/** A row of an attempt that was begun, and of which nothing else is known. */
const BEGUN: AttemptRow = {
  ...{ id: intended().id, number: 1, provider: "acme", model: "acme-image", held: 100_000n, state: "intended" },
  ...{ begun_at: NOON, sent_at: null, deadline: null, ambiguity_code: null, ambiguity_at: null, misses: 0, looks: 0 },
  ...{ search_next_at: null, taken_at: null, job_id: null, accepted_at: null, polls: 0, next_poll_at: null },
  ...{ progress: null, empty_since: null, missing_since: null, missing_polls: 0, expired_since: null },
  ...{ cancel_asked_at: null, ready_at: null, cost: null, fetches: 0, next_fetch_at: null, ended_at: null },
  ...{ reason: null, retry_at: null },
};
const SENT: AttemptRow = { ...BEGUN, state: "sent", sent_at: NOON, deadline: after(NOON, 40_000) };
const WITH_JOB: AttemptRow = { ...SENT, job_id: JOB, accepted_at: NOON };
const ACCEPTED: AttemptRow = { ...WITH_JOB, state: "accepted", polls: 1, next_poll_at: NOON };
const READY: AttemptRow = { ...WITH_JOB, state: "ready", ready_at: NOON, next_fetch_at: NOON };
const ENDED: AttemptRow = { ...BEGUN, state: "ended", ended_at: NOON, reason: "NotCreated" };

describe("an attempt is", () => {
  test.each([
    { what: "intended", row: BEGUN, is: intended() },
    { what: "sent", row: SENT, is: sent() },
    {
      what: "sent, its answer lost, and looked for",
      row: {
        ...{ ...SENT, ambiguity_code: "reset", ambiguity_at: LATER, misses: 2, looks: 3 },
        ...{ search_next_at: LATER, taken_at: NOON },
      },
      is: sent({
        ambiguity: { code: "reset", at: LATER },
        search: { misses: 2, looks: 3, nextAt: LATER, takenAt: NOON },
      }),
    },
    { what: "accepted", row: ACCEPTED, is: accepted() },
    {
      what: "accepted, in doubt, and asked to cancel",
      row: {
        ...{ ...ACCEPTED, progress: 0, empty_since: LATER, missing_since: LATER, missing_polls: 2 },
        cancel_asked_at: LATER,
      },
      is: accepted({
        ...{ progress: 0, emptySince: LATER, missing: { since: LATER, answers: 2 } },
        cancelAskedAt: LATER,
      }),
    },
    { what: "ready, at a price that nobody told", row: READY, is: ready({ cost: undefined }) },
    {
      what: "ready, at no price, its outputs gone for a while",
      row: { ...READY, cost: 0n, fetches: 2, next_fetch_at: LATER, expired_since: LATER },
      is: ready({ cost: micro(0n), fetches: 2, nextFetchAt: LATER, expiredSince: LATER }),
    },
    { what: "ended unsent", row: ENDED, is: ended({ sentAt: undefined }) },
    {
      what: "ended with a job",
      row: { ...ENDED, reason: "JobFailed" as const, job_id: JOB, sent_at: NOON, retry_at: LATER },
      is: ended({ reason: "JobFailed", jobId: JOB, retryAt: LATER }),
    },
  ])("$what", ({ is, row }) => {
    expect(attemptOf(row)).toEqual(is);
  });

  test.each([
    ...(["sent_at", "deadline"] as const).map((column) => ({ row: SENT, column })),
    { row: { ...SENT, ambiguity_code: "reset" }, column: "ambiguity_at" as const },
    ...(["sent_at", "job_id", "accepted_at", "next_poll_at"] as const).map((column) => ({ row: ACCEPTED, column })),
    ...(["ready_at", "next_fetch_at"] as const).map((column) => ({ row: READY, column })),
    ...(["ended_at", "reason"] as const).map((column) => ({ row: ENDED, column })),
  ])("not read without $column where it is $row.state", ({ column, row }) => {
    expect(() => attemptOf({ ...row, [column]: null })).toThrow(
      `cannot read the attempt: ${column} is null in a state that has it`,
    );
  });

  test("not read in a state that nobody knows", () => {
    expect(() => attemptOf({ ...BEGUN, state: "odd" as never })).toThrow("unreachable value: odd");
  });
});

describe("what is known of a task", () => {
  const NOTHING = {
    ...{ now: NOON, key: null, id: null, paid: 0, free: 0, reserved: 0n, settled: 0n, released: 0n },
    ...{ claimed_job: null, claim_looks: null, assets: [] },
  };
  const TASK = {
    ...{ key: KEY, uid: "uid-1", namespace: "studio", name: "sunrise", spec_hash: "hash", registered_at: NOON },
    ...{ task_ended_at: null, parked_at: null, waiting_reason: null },
  };
  const facts = (row: object, late: readonly object[] = []): Promise<Facts> =>
    factsIn(
      recorder([
        [/left join genop\.tasks task/, [row]],
        [/genop\.late_searches/, late],
      ]).transaction,
      { key: KEY },
    );

  test("is nothing where there is none", async () => {
    expect(await facts(NOTHING)).toEqual({
      ...{ now: NOON, record: undefined, attempt: undefined, claim: undefined, late: undefined },
      ...{ paidAttempts: 0, freeAttempts: 0, assets: [], credits: { reserved: 0n, settled: 0n, released: 0n } },
    });
  });

  test("is its record, its attempt, what they came to, and who claims the job", async () => {
    const known = await facts({
      ...{ ...NOTHING, ...TASK, ...SENT, paid: 1, free: 2, reserved: 5n, settled: 3n, released: 2n },
      ...{ claimed_job: JOB, claim_looks: 1 },
    });
    expect(known).toMatchObject({
      ...{ record: record(), attempt: sent(), paidAttempts: 1, freeAttempts: 2 },
      credits: { reserved: 5n, settled: 3n, released: 2n },
      claim: { jobId: JOB, by: "webhook", looks: 1 },
    });
  });

  test("is how it ended, why it is parked, and what it waits for", async () => {
    const end = { phase: "Failed", reason: "JobLost", message: "m" } as const;
    const row = {
      ...{ ...NOTHING, ...TASK, task_ended_at: LATER, ended_phase: end.phase, ended_reason: end.reason },
      ...{ ended_message: end.message, parked_at: NOON, parked_reason: "JobStalled", parked_message: "p" },
      ...{ waiting_reason: "QuotaExhausted", waiting_position: 3, waiting_until: LATER },
    };
    const parked = { reason: "JobStalled", message: "p", at: NOON } as const;
    const waiting = { reason: "QuotaExhausted", position: 3, until: LATER } as const;
    expect((await facts(row)).record).toEqual(record({ ended: { ...end, at: LATER }, parked, waiting }));
    const plain = { ...row, waiting_position: null, waiting_until: null };
    expect((await facts(plain)).record?.waiting).toEqual({ reason: "QuotaExhausted", position: undefined });
  });

  test("is its assets, without what is not known of them", async () => {
    const asset = { name: "a", uri: "u", mediaType: "image/png", bytes: 0, sha256: "s" };
    const row = { ...NOTHING, ...TASK, assets: [{ ...asset, width: 640, height: null, durationMs: null }] };
    expect((await facts(row)).assets.map((one) => Object.entries(one))).toEqual([
      Object.entries({ ...asset, width: 640 }),
    ]);
  });

  test.each([
    { when: "its only attempt is live", row: SENT, asked: false },
    { when: "its only attempt ended with its job", row: { ...ENDED, job_id: JOB }, asked: false },
    { when: "its only attempt ended without a job", row: ENDED, asked: true },
    { when: "it has had attempts before", row: { ...SENT, number: 2 }, asked: true },
    { when: "it has no attempt", row: {}, asked: false },
  ])("has a job that turned up late only where that can be: $when, asked for is $asked", async ({ asked, row }) => {
    const late = { attempt: 1, jobId: JOB, verdict: null, kept: 0 };
    const known = await facts({ ...NOTHING, ...TASK, ...row }, [late]);
    expect(known.late).toEqual(asked ? { ...late, verdict: undefined } : undefined);
  });

  test("is asked for by its key, or by an attempt of it", async () => {
    const by = async (of: { readonly key: TaskKey } | { readonly attemptId: AttemptId }): Promise<unknown> => {
      const { runs, transaction } = recorder([
        [/genop\.late_searches/, []],
        [/genop\.tasks/, [{ ...NOTHING, ...TASK, ...ENDED }]],
      ]);
      await factsIn(transaction, of);
      return runs.map(({ values }) => values);
    };
    const absent = ["NotCreated", "Refused"];
    expect(await by({ key: KEY })).toEqual([[KEY, absent, null], [KEY]]);
    expect(await by({ attemptId: intended().id })).toEqual([[null, absent, intended().id], [KEY]]);
  });

  test("is not made up where the database answers nothing", async () => {
    const { transaction } = recorder([[/genop\.tasks/, []]]);
    await expect(factsIn(transaction, { key: KEY })).rejects.toThrow(
      "cannot load a task: the statement answered without",
    );
  });
});
