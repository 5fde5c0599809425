import { expect } from "@jest/globals";
import type { Observation } from "../../../operator/task/observation.ts";
import { table } from "./decision-table.ts";
import type { Reason } from "../../../operator/task/reasons.ts";
import {
  JOB,
  MINUTE,
  NOON,
  SECOND,
  accepted,
  after,
  ended,
  ready,
  record,
  seen,
  settings,
  task,
  unknown,
} from "../../builders/seen.ts";

const lookUp = { capabilities: { lookupByClientID: true } };
const deleted = (minutes: number, wish: Readonly<Record<string, unknown>> = {}): Partial<Observation> => ({
  task: task({ deletedAt: NOON, wish }),
  now: after(NOON, minutes * MINUTE),
});
const provider = (overrides: Readonly<Record<string, unknown>>): { readonly provider: Observation["provider"] } => ({
  provider: { state: "ready", settings: settings(overrides) },
});
const parked = (reason: Reason): Partial<Observation> => ({
  record: record({ parked: { reason, message: "m", at: NOON } }),
});
const resolution = (decision: string, jobID?: string): Partial<Observation> => ({
  task: task({ wish: { resolution: { attempt: 1, decision, ...(jobID && { jobID }) } } }),
});
const SHOWN = { attempt: 1, providerJobID: "job-1", phase: "NeedsReview" } as const;
const NOT_CREATED = { resolution: { attempt: 1, decision: "NotCreated" } };
const shown = (attempt: number): Partial<Observation> => ({
  task: task({
    reported: { attempt, phase: "NeedsReview" },
    wish: { resolution: { attempt, decision: "BindJob", jobID: "job-1" } },
  }),
});
const adopting = { capabilities: { webhookAdoption: true } };
const CLAIM = { jobId: JOB, by: "webhook", looks: 0 } as const;
const over = {
  record: record({ ended: { phase: "Succeeded", reason: "AssetsPublished", message: "m", at: NOON } }),
} as const;

table("a task that waits for a person", [
  {
    when: "nothing is submitted meanwhile",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved") }),
    then: { type: "rest" },
  },
  {
    when: "the search goes on where there is a way",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved"), ...provider(lookUp) }),
    then: { type: "search" },
  },
  {
    when: "a job that a person names is asked for, and not bound unseen",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved"), ...resolution("BindJob", "job-1") }),
    then: { type: "confirm", claim: { jobId: JOB, by: "person", looks: 0 } },
  },
  {
    when: "not created, says a person: the attempt ends, and another may begin",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved"), ...resolution("NotCreated") }),
    then: { type: "end-attempt", ending: expect.objectContaining({ reason: "NotCreated", task: undefined }) },
  },
  {
    when: "not created is refused for a job that was accepted",
    seen: seen({ attempt: accepted(), ...parked("JobStalled"), ...resolution("NotCreated") }),
    then: { type: "poll" },
  },
  {
    when: "a job that turned up is not written off by a decision from before",
    seen: seen({ attempt: accepted(), ...parked("SubmitUnresolved"), ...resolution("WriteOff") }),
    then: { type: "unpark" },
  },
  {
    when: "of a record that is missing, the attempt is given back to the books before a job is bound to it",
    seen: seen({ ...parked("RecordMissing"), ...shown(2), ...provider({}) }),
    then: { type: "recover", number: 2, estimate: 100_000n },
  },
  {
    when: "an attempt that the status shows with a job is not declared never created",
    seen: seen({ ...parked("RecordMissing"), task: task({ reported: SHOWN, wish: NOT_CREATED }) }),
    then: { type: "rest" },
  },
  {
    when: "a job that a webhook names is asked for while a person is waited for",
    seen: seen({ attempt: unknown(), claim: CLAIM, ...parked("SubmitUnresolved"), ...provider(adopting) }),
    then: { type: "confirm", claim: CLAIM },
  },
  {
    when: "a write-off ends the task",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved"), ...resolution("WriteOff") }),
    then: {
      type: "end-attempt",
      ending: expect.objectContaining({
        reason: "WrittenOff",
        task: expect.objectContaining({ reason: "WrittenOff" }),
      }),
    },
  },
  {
    when: "a decision on an earlier attempt does not count",
    seen: seen({ attempt: unknown({ number: 2 }), ...parked("SubmitUnresolved"), ...resolution("WriteOff") }),
    then: { type: "rest" },
  },
  {
    when: "a job that turned up takes the task out of review",
    seen: seen({ attempt: accepted(), ...parked("SubmitUnresolved") }),
    then: { type: "unpark" },
  },
  {
    when: "a job that ended after all takes the task out of review",
    seen: seen({ attempt: ready(), ...parked("JobStalled") }),
    then: { type: "unpark" },
  },
  {
    when: "a deleted one looks again when its grace is over, though nothing can be searched",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved"), ...deleted(14) }),
    then: { type: "wait", ms: MINUTE },
  },
  {
    when: "a deleted one that waits for its next look waits no longer than its grace",
    seen: seen({
      attempt: unknown({ search: { misses: 0, looks: 1, nextAt: after(NOON, 20 * MINUTE) } }),
      ...parked("SubmitUnresolved"),
      ...provider(lookUp),
      ...deleted(14),
    }),
    then: { type: "wait", ms: MINUTE },
  },
  {
    when: "deletion has a way out",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved"), ...deleted(15) }),
    then: { type: "end-attempt" },
  },
]);

table("a task that has ended (I4: ends are sticky)", [
  { when: "it rests", seen: seen({ ...over, attempt: ended({ reason: "Succeeded" }) }), then: { type: "rest" } },
  {
    when: "a cancel changes nothing any more",
    seen: seen({ ...over, task: task({ wish: { cancelRequested: true } }) }),
    then: { type: "rest" },
  },
  {
    when: "a deleted one is let go",
    seen: seen({ ...over, task: task({ deletedAt: NOON }) }),
    then: { type: "let-go" },
  },
  {
    when: "it is removed when its time to live has passed",
    seen: seen({ ...over, now: after(NOON, MINUTE), task: task({ wish: { ttlSecondsAfterFinished: 60 } }) }),
    then: { type: "remove" },
  },
  {
    when: "it stays until then",
    seen: seen({ ...over, now: after(NOON, 59 * SECOND), task: task({ wish: { ttlSecondsAfterFinished: 60 } }) }),
    then: { type: "wait", ms: 1000 },
  },
]);
