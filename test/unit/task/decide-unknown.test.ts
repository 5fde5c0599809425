import { expect } from "@jest/globals";
import type { Observation } from "../../../operator/task/observation.ts";
import { table } from "./decision-table.ts";
import { JOB, MINUTE, NOON, SECOND, after, seen, sent, settings, task, unknown } from "../../builders/seen.ts";

const provider = (overrides: Readonly<Record<string, unknown>>): { readonly provider: Observation["provider"] } => ({
  provider: { state: "ready", settings: settings(overrides) },
});
const lookUp = { capabilities: { lookupByClientID: true } };
const adopting = (capabilities: object = {}) => provider({ capabilities: { webhookAdoption: true, ...capabilities } });
const claimed = (looks: number) => ({ claim: { jobId: JOB, by: "webhook", looks } as const });
const deleted = (minutes: number, wish: Readonly<Record<string, unknown>> = {}): Partial<Observation> => ({
  task: task({ deletedAt: NOON, wish }),
  now: after(NOON, minutes * MINUTE),
});

table("a submit whose answer is missing (I3: evidence before retry)", [
  {
    when: "until its deadline the call may still be under way",
    seen: seen({ attempt: sent(), now: after(NOON, 39 * SECOND) }),
    then: { type: "wait", ms: 1000 },
  },
  {
    when: "past its deadline without any handle a person is asked",
    seen: seen({ attempt: sent(), now: after(NOON, 41 * SECOND) }),
    then: { type: "park", parked: expect.objectContaining({ reason: "SubmitUnresolved" }) },
  },
  {
    when: "it is looked up by our own id where the provider can",
    seen: seen({ attempt: unknown(), ...provider(lookUp) }),
    then: { type: "search", method: "look-up" },
  },
  {
    when: "a replay is preferred inside the provider's window",
    seen: seen({
      attempt: unknown(),
      ...provider({ capabilities: { idempotency: "Replay", lookupByClientID: true } }),
    }),
    then: { type: "search", method: "replay" },
  },
  {
    when: "no job is made by a replay for a task that nobody wants any more",
    seen: seen({
      attempt: unknown(),
      task: task({ wish: { cancelRequested: true } }),
      ...provider({ capabilities: { idempotency: "Replay", lookupByClientID: true } }),
    }),
    then: { type: "search", method: "look-up" },
  },
  {
    when: "a replay stays the last resort where nothing else can tell",
    seen: seen({
      attempt: unknown(),
      task: task({ deletedAt: NOON }),
      ...provider({ capabilities: { idempotency: "Replay" } }),
    }),
    then: { type: "search", method: "replay" },
  },
  {
    when: "a key outside its window is worth nothing",
    seen: seen({
      attempt: unknown(),
      now: after(NOON, 80 * SECOND),
      ...provider({ capabilities: { idempotency: "Replay", idempotencyWindowSeconds: 60, lookupByClientID: true } }),
    }),
    then: { type: "search", method: "look-up" },
  },
  {
    when: "the list is searched where nothing better is",
    seen: seen({ attempt: unknown(), ...provider({ capabilities: { correlate: "Exact" } }) }),
    then: { type: "search", method: "list" },
  },
  {
    when: "the next look waits its time",
    seen: seen({
      attempt: unknown({ search: { misses: 1, looks: 1, nextAt: after(NOON, 2 * SECOND) } }),
      ...provider(lookUp),
    }),
    then: { type: "wait", ms: 2000 },
  },
  {
    when: "a job that a webhook names is asked for first, eight times while nobody answers",
    seen: seen({ attempt: unknown(), ...claimed(7), ...adopting(lookUp.capabilities) }),
    then: { type: "confirm" },
  },
  {
    when: "then it takes turns with the other looks, which it must not starve",
    seen: seen({ attempt: unknown(), ...claimed(8), ...adopting(lookUp.capabilities) }),
    then: { type: "search", method: "look-up" },
  },
  {
    when: "and comes to its turn again after one of those",
    seen: seen({
      attempt: unknown({ search: { misses: 0, looks: 1, nextAt: undefined } }),
      ...claimed(8),
      ...adopting(lookUp.capabilities),
    }),
    then: { type: "confirm" },
  },
  {
    when: "where there is no other look, it is asked for until patience ends",
    seen: seen({ attempt: unknown(), ...claimed(8), ...adopting() }),
    then: { type: "confirm" },
  },
  {
    when: "patience is longer for a named job that was hardly asked for",
    seen: seen({ attempt: unknown(), now: after(NOON, 61 * MINUTE), ...claimed(7), ...adopting() }),
    then: { type: "confirm" },
  },
  {
    when: "and not for one that nobody answers for",
    seen: seen({ attempt: unknown(), now: after(NOON, 61 * MINUTE), ...claimed(8), ...adopting() }),
    then: { type: "park" },
  },
  {
    when: "when patience ends, Hold asks a person",
    seen: seen({ attempt: unknown(), now: after(NOON, 61 * MINUTE), ...provider(lookUp) }),
    then: { type: "park" },
  },
  {
    when: "Fail gives up and releases the credits",
    seen: seen({ attempt: unknown(), task: task({ wish: { unknownPolicy: "Fail" } }) }),
    then: {
      type: "end-attempt",
      ending: expect.objectContaining({
        reason: "WrittenOff",
        task: expect.objectContaining({ phase: "Failed", reason: "SubmitUnresolved" }),
      }),
    },
  },
  {
    when: "Resubmit, written out by the user, opens the way for a new attempt",
    seen: seen({ attempt: unknown(), task: task({ wish: { unknownPolicy: "Resubmit" } }) }),
    then: { type: "end-attempt", ending: expect.objectContaining({ reason: "WrittenOff", task: undefined }) },
  },
  {
    when: "Resubmit is no loop: after a second lost answer a person is asked",
    seen: seen({
      attempt: unknown({ number: 2 }),
      paidAttempts: 2,
      task: task({ wish: { unknownPolicy: "Resubmit" } }),
    }),
    then: { type: "park" },
  },
  {
    when: "Resubmit goes as far as the retry policy allows paid attempts",
    seen: seen({
      attempt: unknown({ number: 2 }),
      paidAttempts: 2,
      task: task({ wish: { unknownPolicy: "Resubmit", retryPolicy: { maxAttempts: 3 } } }),
    }),
    then: { type: "end-attempt" },
  },
  {
    when: "cancelling does not stop the search",
    seen: seen({ attempt: unknown(), task: task({ wish: { cancelRequested: true } }), ...provider(lookUp) }),
    then: { type: "search" },
  },
  {
    when: "a deleted object is let go after its grace",
    seen: seen({ attempt: unknown(), ...deleted(15), ...provider(lookUp) }),
    then: { type: "end-attempt", ending: expect.objectContaining({ reason: "WrittenOff" }) },
  },
]);
