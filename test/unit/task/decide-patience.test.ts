// What is done when the search for a job has come to nothing in its time.
import { expect } from "@jest/globals";
import type { Observation } from "../../../operator/task/observation.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import { MINUTE, NOON, SECOND, after, seen, sent, settings, task, unknown } from "../../builders/seen.ts";
import { table } from "./decision-table.ts";

const provider = {
  provider: { state: "ready", settings: settings({ capabilities: { lookupByClientID: true } }) },
} as const;
const deletedFor = (minutes: number): Partial<Observation> => ({
  task: task({ deletedAt: NOON }),
  now: after(NOON, minutes * MINUTE),
});
const TAKEN = { misses: 0, looks: 1, nextAt: undefined, takenAt: NOON };
const resubmitting = (maxAttempts = 1): Partial<Observation> => ({
  task: task({ wish: { unknownPolicy: "Resubmit", retryPolicy: { maxAttempts } } }),
});

table("when patience ends", [
  {
    when: "patience counts from the end of the call, and ends on its moment",
    seen: seen({ attempt: unknown(), now: after(NOON, 60 * MINUTE), ...provider }),
    then: {
      type: "park",
      parked: {
        reason: "SubmitUnresolved",
        message:
          "cannot tell whether the provider took the submit: find out, then set spec.resolution for attempt 1 (BindJob, NotCreated or WriteOff)",
      },
    },
  },
  {
    when: "patience has not ended a moment before",
    seen: seen({ attempt: unknown(), now: after(NOON, 60 * MINUTE - 1), ...provider }),
    then: { type: "search" },
  },
  {
    when: "patience counts from the deadline when no process lived to see the end of the call",
    seen: seen({ attempt: sent(), now: after(NOON, 60 * MINUTE + 39 * SECOND), ...provider }),
    then: { type: "search" },
  },
  {
    when: "a person is told that there is a job, where the provider says so",
    seen: seen({ attempt: unknown({ search: TAKEN }) }),
    then: {
      type: "park",
      parked: {
        reason: "SubmitUnresolved",
        message:
          "the provider took the submit, and does not say as which job: find it, then set spec.resolution for attempt 1 (BindJob or WriteOff)",
      },
    },
  },
  {
    when: "Fail gives up at no charge, and says so",
    seen: seen({ attempt: unknown(), task: task({ wish: { unknownPolicy: "Fail" } }) }),
    then: {
      type: "end-attempt",
      ending: {
        ...{ reason: "WrittenOff", charge: 0n, retryAfterMs: undefined },
        task: { phase: "Failed", reason: "SubmitUnresolved", message: REASONS.SubmitUnresolved },
      },
    },
  },
  {
    when: "Resubmit never pays twice for sure: not where the provider says that it took the submit",
    seen: seen({ attempt: unknown({ search: TAKEN }), ...resubmitting(9) }),
    then: { type: "park" },
  },
  {
    when: "Resubmit ends where the retry policy does",
    seen: seen({ attempt: unknown({ number: 3 }), paidAttempts: 3, ...resubmitting(3) }),
    then: { type: "park" },
  },
  {
    when: "a deleted object is kept until its grace is over",
    seen: seen({ attempt: unknown(), ...deletedFor(14), ...provider }),
    then: { type: "search" },
  },
  {
    when: "a deleted object whose grace is over is written off at no charge",
    seen: seen({ attempt: unknown(), ...deletedFor(15), ...provider }),
    then: {
      type: "end-attempt",
      ending: {
        ...{ reason: "WrittenOff", charge: 0n, retryAfterMs: undefined },
        task: expect.objectContaining({ phase: "Cancelled", reason: "Deleted" }),
      },
    },
  },
]);
