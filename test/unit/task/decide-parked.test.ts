import { expect } from "@jest/globals";
import type { Observation } from "../../../operator/task/observation.ts";
import { table } from "./decision-table.ts";
import type { Reason } from "../../../operator/task/reasons.ts";
import {
  JOB,
  MINUTE,
  NOON,
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
const adopting = { capabilities: { webhookAdoption: true } };
const CLAIM = { jobId: JOB, by: "webhook", looks: 0 } as const;

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
    when: "deletion has a way out, which writes off what may never have been, and says so",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved"), ...deleted(15) }),
    then: {
      type: "end-attempt",
      ending: {
        ...{ reason: "WrittenOff", charge: 0n, retryAfterMs: undefined },
        task: {
          phase: "Cancelled",
          reason: "Deleted",
          message: "the object was deleted while it waited for a person: what was held is resolved",
        },
      },
    },
  },
  {
    when: "deletion has a way out, which charges a job that exists as it was estimated",
    seen: seen({ attempt: accepted(), ...parked("JobStalled"), ...deleted(15) }),
    then: { type: "end-attempt", ending: expect.objectContaining({ reason: "Orphaned", charge: 100_000n }) },
  },
  {
    when: "deletion has a way out where no attempt is left",
    seen: seen({ attempt: ended(), ...parked("RecordMissing"), ...deleted(15) }),
    then: { type: "end-task", end: expect.objectContaining({ phase: "Cancelled", reason: "Deleted" }) },
  },
  {
    when: "a deleted one whose search is due is still searched for before its grace is over",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved"), ...provider(lookUp), ...deleted(14) }),
    then: { type: "search" },
  },
  {
    when: "a deleted one that waits for less than its grace waits no longer",
    seen: seen({
      attempt: unknown({ search: { misses: 0, looks: 1, nextAt: after(NOON, 10 * MINUTE) } }),
      ...parked("SubmitUnresolved"),
      ...provider(lookUp),
      ...deleted(9),
    }),
    then: { type: "wait", ms: MINUTE },
  },
  {
    when: "a stalled job is still asked for",
    seen: seen({ attempt: accepted(), ...parked("JobStalled") }),
    then: { type: "poll" },
  },
  {
    when: "nobody is asked while the provider is gone",
    seen: seen({ attempt: accepted(), ...parked("JobStalled"), provider: { state: "absent" } }),
    then: { type: "rest" },
  },
  {
    when: "a job that is bound already is only watched",
    seen: seen({ attempt: accepted(), ...parked("JobStalled"), ...resolution("BindJob", JOB) }),
    then: { type: "poll" },
  },
]);
