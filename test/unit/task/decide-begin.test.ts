import { expect } from "@jest/globals";
import { micro } from "../../../operator/task/credits.ts";
import { table } from "./decision-table.ts";
import { KEY, MINUTE, NOON, SECOND, accepted, after, ended, record, seen, task } from "../../builders/seen.ts";

const parkedRecord = record({ parked: { reason: "SubmitUnresolved", message: "m", at: NOON } });

table("before the first attempt", [
  {
    when: "a class that is known is taken, and its deadline counts",
    seen: seen({ task: task({ wish: { slaClass: "interactive", suspend: true } }) }),
    then: { type: "wait", ms: MINUTE },
  },
  {
    when: "a deadline of the task's own counts before its class's",
    seen: seen({ task: task({ wish: { slaClass: "interactive", activeDeadlineSeconds: 30, suspend: true } }) }),
    then: { type: "wait", ms: 30 * SECOND },
  },
  {
    when: "the deadline counts from the registration, where there is one",
    seen: seen({
      record: record({ registeredAt: after(NOON, -20 * SECOND) }),
      task: task({ wish: { activeDeadlineSeconds: 60, suspend: true } }),
    }),
    then: { type: "wait", ms: 40 * SECOND },
  },
  {
    when: "a wait that is over before the deadline is not made longer",
    seen: seen({
      attempt: ended({ retryAt: after(NOON, 5 * SECOND) }),
      task: task({ wish: { activeDeadlineSeconds: 60 } }),
    }),
    then: { type: "wait", ms: 5 * SECOND },
  },
  {
    when: "a finalizer without a key is pinned",
    seen: seen({ task: task({ pinnedKey: undefined }) }),
    then: { type: "pin" },
  },
  {
    when: "key and finalizer are written before anything else",
    seen: seen({ task: task({ pinnedKey: undefined, finalizer: false }) }),
    then: { type: "pin", key: KEY },
  },
  {
    when: "a lost finalizer is put back while there is something to settle",
    seen: seen({ attempt: accepted(), task: task({ finalizer: false }) }),
    then: { type: "pin" },
  },
  {
    when: "a pinned task begins with its estimate held",
    seen: seen(),
    then: { type: "begin", estimate: micro(100_000n) },
  },
  { when: "a suspended task rests", seen: seen({ task: task({ wish: { suspend: true } }) }), then: { type: "rest" } },
  {
    when: "a suspended task wakes at its deadline",
    seen: seen({ record: record(), task: task({ wish: { suspend: true, activeDeadlineSeconds: 60 } }) }),
    then: { type: "wait", ms: MINUTE },
  },
  {
    when: "the wait for the next attempt ends at the deadline",
    seen: seen({
      attempt: ended({ retryAt: after(NOON, 15 * MINUTE) }),
      task: task({ wish: { activeDeadlineSeconds: 60 } }),
    }),
    then: { type: "wait", ms: MINUTE },
  },
  {
    when: "a task cancelled before its first attempt ends",
    seen: seen({ task: task({ wish: { cancelRequested: true } }) }),
    then: { type: "end-task", end: { phase: "Cancelled", reason: "CancelledByUser", message: expect.any(String) } },
  },
  {
    when: "an unknown provider is waited for at first",
    seen: seen({ provider: { state: "absent" } }),
    then: { type: "wait" },
  },
  {
    when: "an unknown provider rejects the task after its grace",
    seen: seen({ provider: { state: "absent" }, now: after(NOON, MINUTE) }),
    then: { type: "end-task", end: expect.objectContaining({ phase: "Rejected", reason: "ProviderNotFound" }) },
  },
  {
    when: "an unknown model rejects the task",
    seen: seen({ task: task({ wish: { model: "other" } }) }),
    then: { type: "end-task", end: expect.objectContaining({ reason: "ModelNotFound" }) },
  },
  {
    when: "a namespace that is not allowed rejects the task",
    seen: seen({ provider: { state: "not-allowed" } }),
    then: { type: "end-task", end: expect.objectContaining({ reason: "NamespaceNotAllowed" }) },
  },
  {
    when: "an estimate over the ceiling rejects the task",
    seen: seen({ task: task({ wish: { maxCredits: "0.09" } }) }),
    then: { type: "end-task", end: expect.objectContaining({ reason: "OverCeiling" }) },
  },
  {
    when: "a price that rose over the ceiling between two attempts ends the task",
    seen: seen({ attempt: ended({ retryAt: NOON }), task: task({ wish: { maxCredits: "0.09" } }) }),
    then: { type: "end-task", end: expect.objectContaining({ phase: "Failed", reason: "OverCeiling" }) },
  },
  {
    when: "an estimate at the ceiling is accepted",
    seen: seen({ task: task({ wish: { maxCredits: "0.1" } }) }),
    then: { type: "begin" },
  },
  {
    when: "a moderation profile that does not exist is never passed over",
    seen: seen({ task: task({ wish: { moderation: { profile: "strict" } } }) }),
    then: { type: "end-task", end: expect.objectContaining({ reason: "NotSupported" }) },
  },
  {
    when: "a provider that is not ready is waited for",
    seen: seen({ provider: { state: "not-ready", settings: undefined, message: "no credential" } }),
    then: { type: "wait" },
  },
  { when: "a missing input Secret is waited for", seen: seen({ inputProblem: "no Secret" }), then: { type: "wait" } },
  {
    when: "the next attempt waits for its time",
    seen: seen({ attempt: ended({ retryAt: after(NOON, 5 * SECOND) }) }),
    then: { type: "wait", ms: 5000 },
  },
  {
    when: "a provider that is not ready is looked at before the time of the next attempt",
    seen: seen({ attempt: ended({ retryAt: after(NOON, 5 * MINUTE) }), provider: { state: "absent" } }),
    then: { type: "wait", ms: 15 * SECOND },
  },
  {
    when: "the next attempt begins at once where it has no time of its own",
    seen: seen({ attempt: ended({ retryAt: undefined }) }),
    then: { type: "begin" },
  },
  {
    when: "a model that left the provider's list between two attempts is waited for",
    seen: seen({ attempt: ended({ retryAt: NOON }), task: task({ wish: { model: "other" } }) }),
    then: { type: "wait" },
  },
  {
    when: "a provider that was closed to the namespace between two attempts is waited for, and rejects nothing",
    seen: seen({ attempt: ended({ retryAt: NOON }), provider: { state: "not-allowed" } }),
    then: { type: "wait" },
  },
  {
    when: "a deleted task ends as deleted, and is neither rejected nor pinned any more",
    seen: seen({ provider: { state: "not-allowed" }, task: task({ deletedAt: NOON, finalizer: false }) }),
    then: { type: "end-task", end: expect.objectContaining({ phase: "Cancelled", reason: "Deleted" }) },
  },
  {
    when: "deletion counts before a cancel, and a cancel before the deadline",
    seen: seen({
      now: after(NOON, MINUTE),
      task: task({ deletedAt: NOON, wish: { cancelRequested: true, activeDeadlineSeconds: 1 } }),
    }),
    then: { type: "end-task", end: expect.objectContaining({ reason: "Deleted" }) },
  },
  {
    when: "a cancel counts before the deadline",
    seen: seen({ now: after(NOON, MINUTE), task: task({ wish: { cancelRequested: true, activeDeadlineSeconds: 1 } }) }),
    then: { type: "end-task", end: expect.objectContaining({ reason: "CancelledByUser" }) },
  },
  {
    when: "a task that is parked is not rejected for what its provider has become",
    seen: seen({ provider: { state: "not-allowed" }, record: parkedRecord }),
    then: { type: "unpark" },
  },
  {
    when: "the next attempt begins when its time has come",
    seen: seen({ attempt: ended({ retryAt: NOON }) }),
    then: { type: "begin" },
  },
  {
    when: "a task past its deadline is ended instead of begun",
    seen: seen({ record: record(), now: after(NOON, MINUTE), task: task({ wish: { activeDeadlineSeconds: 60 } }) }),
    then: { type: "end-task", end: expect.objectContaining({ reason: "DeadlineExceeded" }) },
  },
]);
