import { expect } from "@jest/globals";
import type { Observation } from "../../../operator/task/observation.ts";
import { micro } from "../../../operator/task/credits.ts";
import { table } from "./decision-table.ts";
import { MINUTE, NOON, SECOND, accepted, after, seen, settings, task } from "../../builders/seen.ts";

const provider = (overrides: Readonly<Record<string, unknown>>): { readonly provider: Observation["provider"] } => ({
  provider: { state: "ready", settings: settings(overrides) },
});
const deleted = (minutes: number, wish: Readonly<Record<string, unknown>> = {}): Partial<Observation> => ({
  task: task({ deletedAt: NOON, wish }),
  now: after(NOON, minutes * MINUTE),
});

table("a job that runs", [
  { when: "it is queried when its time has come", seen: seen({ attempt: accepted() }), then: { type: "poll" } },
  {
    when: "it is left alone before",
    seen: seen({ attempt: accepted({ nextPollAt: after(NOON, SECOND) }) }),
    then: { type: "wait", ms: 1000 },
  },
  {
    when: "a cancel is asked for where the provider can",
    seen: seen({
      attempt: accepted(),
      task: task({ wish: { cancelRequested: true } }),
      ...provider({ capabilities: { cancel: "Request" } }),
    }),
    then: { type: "ask-cancel" },
  },
  {
    when: "a cancel is asked for once",
    seen: seen({
      attempt: accepted({ cancelAskedAt: NOON }),
      task: task({ wish: { cancelRequested: true } }),
      ...provider({ capabilities: { cancel: "Request" } }),
    }),
    then: { type: "poll" },
  },
  {
    when: "without a way to cancel it is watched to its end",
    seen: seen({ attempt: accepted(), task: task({ wish: { cancelRequested: true } }) }),
    then: { type: "poll" },
  },
  {
    when: "a destructive cancel never goes to a job that was not just seen alive",
    seen: seen({
      attempt: accepted({ polls: 0 }),
      task: task({ wish: { cancelRequested: true } }),
      ...provider({ capabilities: { cancel: "Destructive" } }),
    }),
    then: { type: "poll" },
  },
  {
    when: "a destructive cancel never goes to a job that may have finished without a word of its outputs",
    seen: seen({
      attempt: accepted({ emptySince: NOON }),
      task: task({ wish: { cancelRequested: true } }),
      ...provider({ capabilities: { cancel: "Destructive" } }),
    }),
    then: { type: "poll" },
  },
  {
    when: "a destructive cancel goes to a job that was just seen alive",
    seen: seen({
      attempt: accepted({ polls: 1 }),
      task: task({ wish: { cancelRequested: true } }),
      ...provider({ capabilities: { cancel: "Destructive" } }),
    }),
    then: { type: "ask-cancel" },
  },
  {
    when: "a job that nobody wants to cancel runs on",
    seen: seen({ attempt: accepted(), ...provider({ capabilities: { cancel: "Request" } }) }),
    then: { type: "poll" },
  },
  {
    when: "a job is asked to cancel at the task's deadline",
    seen: seen({
      attempt: accepted(),
      now: after(NOON, MINUTE),
      task: task({ wish: { activeDeadlineSeconds: 60 } }),
      ...provider({ capabilities: { cancel: "Request" } }),
    }),
    then: { type: "ask-cancel" },
  },
  {
    when: "a job runs as long as its provider's limit",
    seen: seen({
      attempt: accepted(),
      now: after(NOON, 30 * MINUTE - 1),
      ...provider({ capabilities: { cancel: "Request" } }),
    }),
    then: { type: "poll" },
  },
  {
    when: "a job at its provider's limit is asked to cancel",
    seen: seen({
      attempt: accepted(),
      now: after(NOON, 30 * MINUTE),
      ...provider({ capabilities: { cancel: "Request" } }),
    }),
    then: { type: "ask-cancel" },
  },
  {
    when: "a deleted object asks for the cancel and waits for the answer",
    seen: seen({ attempt: accepted(), ...deleted(1), ...provider({ capabilities: { cancel: "Request" } }) }),
    then: { type: "ask-cancel" },
  },
  {
    when: "Orphan lets the job go at once, charged as estimated",
    seen: seen({ attempt: accepted(), ...deleted(0, { deletionPolicy: "Orphan" }) }),
    then: {
      type: "end-attempt",
      ending: {
        ...{ reason: "Orphaned", charge: micro(100_000n), retryAfterMs: undefined },
        task: expect.objectContaining({ phase: "Cancelled", reason: "Deleted" }),
      },
    },
  },
  {
    when: "Orphan lets nothing go while the object is there",
    seen: seen({ attempt: accepted(), task: task({ wish: { deletionPolicy: "Orphan" } }) }),
    then: { type: "poll" },
  },
  {
    when: "a cancel that only asks goes to a job that was never seen as well",
    seen: seen({
      attempt: accepted({ polls: 0 }),
      task: task({ wish: { cancelRequested: true } }),
      ...provider({ capabilities: { cancel: "Request" } }),
    }),
    then: { type: "ask-cancel" },
  },
  {
    when: "deletion has a way out after its grace",
    seen: seen({ attempt: accepted(), ...deleted(15) }),
    then: { type: "end-attempt", ending: expect.objectContaining({ reason: "Orphaned" }) },
  },
  {
    when: "an overdue job is asked to cancel, never submitted again",
    seen: seen({
      attempt: accepted(),
      now: after(NOON, 31 * MINUTE),
      ...provider({ capabilities: { cancel: "Request" } }),
    }),
    then: { type: "ask-cancel" },
  },
  {
    when: "a job that never ends is put before a person",
    seen: seen({ attempt: accepted({ cancelAskedAt: NOON }), now: after(NOON, 35 * MINUTE) }),
    then: {
      type: "park",
      parked: { reason: "JobStalled", message: expect.stringContaining("set spec.resolution to WriteOff") },
    },
  },
  {
    when: "a job that never ends is given a few minutes more",
    seen: seen({ attempt: accepted({ cancelAskedAt: NOON }), now: after(NOON, 35 * MINUTE - 1) }),
    then: { type: "poll" },
  },
  {
    when: "a job that was asked to cancel late is given a few minutes from then on",
    seen: seen({ attempt: accepted({ cancelAskedAt: after(NOON, 60 * MINUTE) }), now: after(NOON, 65 * MINUTE - 1) }),
    then: { type: "poll" },
  },
  {
    when: "a job that was asked to cancel late, and does not end, is put before a person",
    seen: seen({ attempt: accepted({ cancelAskedAt: after(NOON, 60 * MINUTE) }), now: after(NOON, 65 * MINUTE) }),
    then: { type: "park" },
  },
  {
    when: "a job whose object is deleted with Cancel, not Orphan, is watched to its end",
    seen: seen({ attempt: accepted(), ...deleted(0) }),
    then: { type: "poll" },
  },
  {
    when: "a provider that is gone is waited for",
    seen: seen({ attempt: accepted(), provider: { state: "absent" } }),
    then: { type: "wait", ms: 15 * SECOND },
  },
]);
