// The fields of a task's status beside its phase, and its conditions.
import { describe, expect, test } from "@jest/globals";
import { micro } from "../../../operator/task/credits.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import type { Condition, TaskStatus } from "../../../operator/task/resource.ts";
import { statusOf } from "../../../operator/task/status.ts";
import {
  JOB,
  KEY,
  MINUTE,
  NOON,
  SECOND,
  accepted,
  after,
  ended,
  intended,
  ready,
  record,
  seen,
  sent,
  task,
  unknown,
} from "../../builders/seen.ts";

const LATER = after(NOON, MINUTE);
const ASSET = { name: "a", uri: "s3://b/a", mediaType: "image/png", bytes: 1, sha256: "0".repeat(64) };
const of = (overrides: Partial<Observation>): TaskStatus => statusOf(seen(overrides));

describe("the status of a task", () => {
  test("says nothing of what has not begun, but what it costs", () => {
    const { conditions, ...rest } = of({});
    expect(conditions).toHaveLength(6);
    expect(Object.keys(rest).sort()).toEqual(["credits", "message", "observedGeneration", "phase", "reason"]);
    expect(rest).toMatchObject({ observedGeneration: 1, credits: { reserved: "0", settled: "0", released: "0" } });
  });

  test("has what is known of a job that is done", () => {
    const credits = { reserved: micro(100_000n), settled: micro(60_000n), released: micro(40_000n) };
    const end = { phase: "Succeeded", reason: "AssetsPublished", message: "m", at: LATER } as const;
    const attempt = ended({ reason: "Succeeded", jobId: JOB, number: 2 });
    expect(of({ attempt, record: record({ ended: end }), assets: [ASSET], credits })).toMatchObject({
      ...{ taskKey: KEY, attempt: 2, providerJobID: JOB, progress: 100 },
      submittedTime: NOON.toISOString(),
      startTime: NOON.toISOString(),
      completionTime: LATER.toISOString(),
      credits: { reserved: "0.1", settled: "0.06", released: "0.04" },
      assets: [ASSET],
    });
  });

  test.each<{
    readonly when: string;
    readonly seen: Partial<Observation>;
    readonly sent: boolean;
    readonly job: boolean;
  }>([
    { when: "intended", seen: { attempt: intended() }, sent: false, job: false },
    { when: "sent", seen: { attempt: sent() }, sent: true, job: false },
    { when: "accepted", seen: { attempt: accepted() }, sent: true, job: true },
    { when: "ready", seen: { attempt: ready() }, sent: true, job: true },
    { when: "ended unsent", seen: { attempt: ended({ sentAt: undefined }) }, sent: false, job: false },
    { when: "ended with a job", seen: { attempt: ended({ jobId: JOB }) }, sent: true, job: true },
  ])("of an attempt that is $when: sent $sent, job $job", ({ job, seen: overrides, sent: isSent }) => {
    const status = of(overrides);
    expect(status.attempt).toBe(1);
    expect(status.submittedTime).toBe(isSent ? NOON.toISOString() : undefined);
    expect(status.providerJobID).toBe(job ? JOB : undefined);
  });

  test.each([
    { progress: undefined, told: undefined },
    { progress: 0, told: 0 },
    { progress: 9, told: 0 },
    { progress: 49.9, told: 40 },
    { progress: 100, told: 100 },
  ])("tells a progress of $progress as $told, in steps that cost few writes", ({ progress, told }) => {
    expect(of({ attempt: accepted({ progress }) }).progress).toBe(told);
  });

  test.each<{ readonly when: string; readonly seen: Partial<Observation>; readonly told: Date | undefined }>([
    {
      when: "its budget begins anew",
      seen: { record: record({ waiting: { reason: "BudgetExhausted", position: undefined, until: LATER } }) },
      told: LATER,
    },
    { when: "its next attempt is due", seen: { attempt: ended({ retryAt: LATER }) }, told: LATER },
    { when: "nothing but a place is waited for", seen: { attempt: intended() }, told: undefined },
    {
      when: "its job is looked for next",
      seen: { attempt: unknown({ search: { misses: 0, looks: 1, nextAt: LATER } }) },
      told: LATER,
    },
    {
      when: "the call is still under way",
      seen: { attempt: sent({ search: { misses: 0, looks: 1, nextAt: LATER } }) },
      told: undefined,
    },
    { when: "its job is only polled", seen: { attempt: accepted({ nextPollAt: LATER }) }, told: undefined },
  ])("names the time of what comes next when $when", ({ seen: overrides, told }) => {
    expect(of(overrides).nextActionTime).toBe(told?.toISOString());
  });

  test("tells its place in line while it waits, and not afterwards", () => {
    const inLine = record({ waiting: { reason: "QuotaExhausted", position: 7, until: undefined } });
    expect(of({ attempt: intended(), record: inLine }).queuePosition).toBe(7);
    expect(of({ attempt: accepted(), record: inLine }).queuePosition).toBeUndefined();
  });

  test("of a record that is missing keeps what it showed: a person has nothing else to go by", () => {
    const reported = {
      attempt: 3,
      providerJobID: "job-9",
      submittedTime: "2026-05-01T00:00:00Z",
      phase: "Polling",
    } as const;
    const parked = record({ parked: { reason: "RecordMissing", message: "m", at: NOON } });
    const status = of({ attempt: accepted(), record: parked, task: task({ reported }) });
    const { phase, ...shown } = reported;
    expect(phase).not.toBe(status.phase);
    expect(status).toMatchObject(shown);
    expect(status.progress).toBeUndefined();
  });
});

describe("the conditions of a task", () => {
  type Truths = Readonly<Record<string, Condition["status"]>>;
  const truths = (overrides: Partial<Observation>): Truths =>
    Object.fromEntries((of(overrides).conditions ?? []).map(({ status, type }) => [type, status]));
  const all = (changes: Truths): Truths => ({
    ...{ Held: "False", Submitted: "False", Succeeded: "Unknown", NeedsReview: "False" },
    ...{ Reconciling: "True", Stalled: "False" },
    ...changes,
  });
  const end = (phase: "Succeeded" | "Failed"): Partial<Observation> => ({
    attempt: ended({ jobId: JOB }),
    record: record({ ended: { phase, reason: "AssetsPublished", message: "m", at: NOON } }),
  });
  const parked = record({ parked: { reason: "SubmitUnresolved", message: "m", at: NOON } });

  test.each<{ readonly when: string; readonly seen: Partial<Observation>; readonly are: Truths }>([
    { when: "nothing has begun", seen: {}, are: all({}) },
    { when: "credits are held", seen: { attempt: intended() }, are: all({ Held: "True" }) },
    { when: "an answer is missing", seen: { attempt: unknown() }, are: all({ Held: "True" }) },
    { when: "a job runs", seen: { attempt: accepted() }, are: all({ Held: "True", Submitted: "True" }) },
    { when: "an attempt ended for nothing", seen: { attempt: ended() }, are: all({}) },
    {
      when: "a person is waited for",
      seen: { attempt: unknown(), record: parked },
      are: all({ Held: "True", NeedsReview: "True", Reconciling: "False", Stalled: "True" }),
    },
    {
      when: "it succeeded",
      seen: end("Succeeded"),
      are: all({ Submitted: "True", Succeeded: "True", Reconciling: "False" }),
    },
    {
      when: "it failed",
      seen: end("Failed"),
      are: all({ Submitted: "True", Succeeded: "False", Reconciling: "False" }),
    },
  ])("when $when", ({ are, seen: overrides }) => {
    expect(truths(overrides)).toEqual(are);
  });

  test("keep their time until they flip, in whole seconds, and say why each time", () => {
    const before = of({ now: after(NOON, 0.5 * SECOND) });
    const times = (status: TaskStatus): Readonly<Record<string, string>> =>
      Object.fromEntries((status.conditions ?? []).map((one) => [one.type, one.lastTransitionTime]));
    expect(new Set(Object.values(times(before)))).toEqual(new Set(["2026-06-01T12:00:00Z"]));
    const later = of({ now: LATER, attempt: intended(), task: task({ reported: before, generation: 2 }) });
    expect(times(later)).toEqual({ ...times(before), Held: "2026-06-01T12:01:00Z" });
    const { message = "", reason = "" } = later;
    expect(later.conditions).toEqual(
      (later.conditions ?? []).map((one) => ({ ...one, observedGeneration: 2, reason, message })),
    );
  });
});
