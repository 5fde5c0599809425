// What follows from a person's decision, and in which words one is refused that contradicts what is known.
import { describe, expect, test } from "@jest/globals";
import { attemptInQuestion, resolutionOf } from "../../../operator/task/decide/resolution.ts";
import type { Verdict } from "../../../operator/task/decide/resolution.ts";
import { ZERO, micro } from "../../../operator/task/credits.ts";
import type { Decision } from "../../../operator/task/decision.ts";
import type { Parked } from "../../../operator/task/facts.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import {
  JOB,
  KEY,
  NOON,
  accepted,
  ended,
  intended,
  ready,
  seen,
  settings,
  task,
  unknown,
} from "../../builders/seen.ts";

type Word = Decision["decision"];

const SAID = { note: "seen in the console", by: "kim" } as const;
const decided = (decision: Word, attempt = 1): Readonly<Record<string, unknown>> => ({
  resolution: { attempt, decision, ...(decision === "BindJob" && { jobID: JOB }), ...SAID },
});
/** As the books are given it. */
const noted = (decision: Word, attempt = 1): Decision => ({
  ...{ attempt, decision, jobId: decision === "BindJob" ? JOB : undefined },
  ...SAID,
});

function verdict(
  decision: Word,
  overrides: Partial<Observation>,
  {
    about = 1,
    reason = "SubmitUnresolved",
    shown = {},
  }: {
    readonly about?: number;
    readonly reason?: Parked["reason"];
    readonly shown?: Observation["task"]["reported"];
  } = {},
): Verdict {
  const observation = seen({ task: task({ reported: shown, wish: decided(decision, about) }), ...overrides });
  return resolutionOf(observation, KEY, { reason, message: "m", at: NOON });
}

const refused = (message: string): Verdict => ({ outcome: "refused", message });
const MISSING = { reason: "RecordMissing", shown: { attempt: 2, phase: "NeedsReview" } } as const;
const OTHER_MODEL = [{ name: "other", price: { perRequest: "1" } }];
const taken = unknown({ search: { misses: 0, looks: 0, nextAt: undefined, takenAt: NOON } });

describe("a decision is refused", () => {
  test.each<{ readonly when: string; readonly of: () => Verdict; readonly says: string }>([
    {
      when: "it is about another attempt",
      of: () => verdict("WriteOff", { attempt: unknown({ number: 2 }) }),
      says: "spec.resolution is about attempt 1, and attempt 2 is in question",
    },
    {
      when: "it is about an attempt, and none was made",
      of: () => verdict("WriteOff", {}),
      says: "spec.resolution is about attempt 1, and attempt 0 is in question",
    },
    {
      when: "it binds a job to an attempt that has another",
      of: () => verdict("BindJob", { attempt: accepted({ jobId: "job-9" as typeof JOB }) }, { reason: "JobStalled" }),
      says: 'cannot bind job "job-1": attempt 1 stands for job "job-9" already',
    },
    {
      when: "it binds a job that nobody can confirm",
      of: () => verdict("BindJob", { attempt: unknown(), provider: { state: "absent" } }),
      says: 'cannot bind job "job-1": the provider does not exist, so nobody can confirm it',
    },
    {
      when: "it binds a job where no attempt was made",
      of: () => verdict("BindJob", {}, { ...MISSING, about: 0, shown: {} }),
      says: "cannot bind a job: no attempt was made; decide NotCreated or WriteOff",
    },
    {
      when: "it binds a job to an attempt that is missing while an earlier one is open",
      of: () => verdict("BindJob", { attempt: unknown() }, { ...MISSING, about: 2 }),
      says: "cannot bind a job to attempt 2: the books still have attempt 1 open; decide NotCreated or WriteOff",
    },
    {
      when: "it binds a job that has no price",
      of: () =>
        verdict(
          "BindJob",
          { provider: { state: "ready", settings: settings({ models: OTHER_MODEL }) } },
          { ...MISSING, about: 2 },
        ),
      says: "cannot bind a job: the provider's spec has no price for it",
    },
    {
      when: "it says that a job was not created which the provider accepted",
      of: () => verdict("NotCreated", { attempt: ready() }, { reason: "JobStalled" }),
      says: 'cannot take it as not created: the provider accepted it as job "job-1"; BindJob or WriteOff',
    },
    {
      when: "it says that a job was not created which the status shows",
      of: () => verdict("NotCreated", {}, { reason: "RecordMissing", shown: { attempt: 1, providerJobID: "job-7" } }),
      says: 'cannot take it as not created: the provider accepted it as job "job-7"; BindJob or WriteOff',
    },
    {
      when: "it says that a submit was not taken which the provider says it took",
      of: () => verdict("NotCreated", { attempt: taken }),
      says: "cannot take it as not created: the provider says that it took this submit; BindJob or WriteOff",
    },
  ])("when $when", ({ of, says }) => {
    expect(of()).toEqual(refused(says));
  });
});

describe("a decision is carried out", () => {
  const valid = (action: Extract<Verdict, { outcome: "valid" }>["action"]): Verdict => ({ outcome: "valid", action });
  const WRITTEN_OFF = { phase: "Failed", reason: "WrittenOff", message: REASONS.WrittenOff } as const;

  test("none is none", () => {
    const observation = seen({ attempt: unknown() });
    const parked = { reason: "SubmitUnresolved", message: "m", at: NOON } as const;
    expect(resolutionOf(observation, KEY, parked)).toEqual({ outcome: "undecided" });
  });
  test("a job that is bound already needs none", () => {
    expect(verdict("BindJob", { attempt: accepted() }, { reason: "JobStalled" })).toEqual({ outcome: "undecided" });
  });
  test("a job that is named is asked for", () => {
    expect(verdict("BindJob", { attempt: unknown() })).toEqual(
      valid({
        type: "confirm",
        attempt: unknown(),
        claim: { jobId: JOB, by: "person", looks: 0 },
        settings: settings(),
        decision: noted("BindJob"),
      }),
    );
  });
  test.each([
    { have: "none", attempt: undefined },
    { have: "one that ended", attempt: ended() },
    { have: "one that was never sent", attempt: intended({ number: 2 }) },
  ])("an attempt that the books lost is given back to them first, where they have $have", ({ attempt }) => {
    expect(verdict("BindJob", { attempt }, { ...MISSING, about: 2 })).toEqual(
      valid({ type: "recover", key: KEY, number: 2, settings: settings(), estimate: micro(100_000n) }),
    );
  });
  test("not created ends an attempt without an answer, and lets another begin", () => {
    const nothing = { charge: ZERO, retryAfterMs: undefined, task: undefined } as const;
    const ending = { reason: "NotCreated", ...nothing, decision: noted("NotCreated") } as const;
    expect(verdict("NotCreated", { attempt: unknown() })).toEqual(
      valid({ type: "end-attempt", attempt: unknown(), ending }),
    );
  });
  test("not created takes a task out of review that has nothing at the provider", () => {
    const shown = { attempt: 1, providerJobID: "job-7" };
    expect(verdict("NotCreated", { attempt: ended() }, { reason: "RecordMissing", shown })).toEqual(
      valid({ type: "unpark", key: KEY, decision: noted("NotCreated") }),
    );
    expect(verdict("NotCreated", {}, { about: 0 })).toEqual(
      valid({ type: "unpark", key: KEY, decision: noted("NotCreated", 0) }),
    );
  });
  test("a job that the status of a known attempt shows is not what it was parked for", () => {
    const shown = { attempt: 1, providerJobID: "job-7" };
    expect(verdict("NotCreated", { attempt: unknown() }, { shown })).toMatchObject({ outcome: "valid" });
  });
  test("a job that the status shows for a later attempt is no word on the one that is parked", () => {
    const shown = { attempt: 2, providerJobID: "job-7" };
    expect(verdict("NotCreated", { attempt: unknown() }, { shown })).toMatchObject({ outcome: "valid" });
  });
  test.each([
    { attempt: unknown(), reason: "WrittenOff", charge: 0n },
    { attempt: intended(), reason: "WrittenOff", charge: 0n },
    { attempt: accepted(), reason: "Orphaned", charge: 100_000n },
    { attempt: ready(), reason: "Orphaned", charge: 100_000n },
  ] as const)("a write-off of an attempt that is $attempt.state charges $charge", ({ attempt, charge, reason }) => {
    const end = { charge: micro(charge), retryAfterMs: undefined, task: WRITTEN_OFF };
    const ending = { reason, ...end, decision: noted("WriteOff") };
    expect(verdict("WriteOff", { attempt })).toEqual(valid({ type: "end-attempt", attempt, ending }));
  });
  test("a write-off of what has no live attempt ends the task", () => {
    expect(verdict("WriteOff", {}, { about: 0 })).toEqual(
      valid({ type: "end-task", key: KEY, end: WRITTEN_OFF, decision: noted("WriteOff", 0) }),
    );
  });
});

test.each([
  { reason: "RecordMissing", attempt: unknown(), shown: 2, is: 2 },
  { reason: "RecordMissing", attempt: unknown({ number: 3 }), shown: 2, is: 3 },
  { reason: "RecordMissing", attempt: undefined, shown: undefined, is: 0 },
  { reason: "SubmitUnresolved", attempt: unknown(), shown: 2, is: 1 },
] as const)("of attempt $attempt.number and $shown in the status, $is is in question when $reason", (row) => {
  const reported = row.shown === undefined ? {} : { attempt: row.shown };
  const observation = seen({ attempt: row.attempt, task: task({ reported }) });
  expect(attemptInQuestion(observation, { reason: row.reason, message: "m", at: NOON })).toBe(row.is);
});
