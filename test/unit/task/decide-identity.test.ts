import { expect, test } from "@jest/globals";
import { statusForbids } from "../../../operator/task/identity.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import { table } from "./decision-table.ts";
import { MINUTE, NOON, accepted, after, intended, record, seen, task } from "../../builders/seen.ts";

const deleted = (minutes: number, wish: Readonly<Record<string, unknown>> = {}): Partial<Observation> => ({
  task: task({ deletedAt: NOON, wish }),
  now: after(NOON, minutes * MINUTE),
});

table("who the object is", [
  {
    when: "a copied task-key annotation of another namespace is never acted upon",
    seen: seen({ task: task({ pinnedKey: "other/uid-9" }) }),
    then: { type: "rest" },
  },
  {
    when: "a pinned key that contradicts the idempotency key is never acted upon",
    seen: seen({ task: task({ pinnedKey: "studio/a", wish: { idempotencyKey: "b" } }) }),
    then: { type: "rest" },
  },
  {
    when: "a second object with a living owner's key is never acted upon",
    seen: seen({ record: record({ uid: "uid-0" }) }),
    then: { type: "rest" },
  },
  {
    when: "a deleted copy is let go without touching the record",
    seen: seen({ record: record({ uid: "uid-0" }), task: task({ deletedAt: NOON }) }),
    then: { type: "let-go" },
  },
  {
    when: "a restored object takes over the record of the one that is gone",
    seen: seen({ record: record({ uid: "uid-0" }), ownerExists: false }),
    then: { type: "adopt-record" },
  },
  {
    when: "a key used before for another input is never acted upon",
    seen: seen({ record: record({ uid: "uid-0", specHash: "other" }), ownerExists: false }),
    then: { type: "rest" },
  },
  {
    when: "a status that shows an attempt unknown to Postgres parks the task",
    seen: seen({ task: task({ reported: { attempt: 1, phase: "Polling" } }) }),
    then: { type: "park", parked: expect.objectContaining({ reason: "RecordMissing" }) },
  },
  {
    when: "the key of an object that Postgres knows nothing of parks the task, although its status shows nothing",
    seen: seen({ task: task({ pinnedKey: "studio/uid-9" }) }),
    then: {
      type: "park",
      parked: { reason: "RecordMissing", message: expect.stringMatching(/task-key annotation .* attempt 0/) },
    },
  },
  {
    when: "a person's word that nothing was made lets it begin",
    seen: seen({
      task: task({ pinnedKey: "studio/uid-9", wish: { resolution: { attempt: 0, decision: "NotCreated" } } }),
    }),
    then: { type: "begin" },
  },
  {
    when: "a task that ended before the database was lost is left as it is",
    seen: seen({ task: task({ reported: { attempt: 1, phase: "Succeeded" } }) }),
    then: { type: "rest" },
  },
  {
    when: "deleted, it is let go: there is nothing to settle",
    seen: seen({ task: task({ reported: { attempt: 1, phase: "Failed" }, deletedAt: NOON }) }),
    then: { type: "let-go" },
  },
  {
    when: "an end that status shows does not leave a live attempt alone",
    seen: seen({ attempt: accepted(), task: task({ reported: { attempt: 2, phase: "Succeeded" } }) }),
    then: { type: "park", parked: expect.objectContaining({ reason: "RecordMissing" }) },
  },
  {
    when: "a status further along than the intent on disk parks the task",
    seen: seen({ attempt: intended(), task: task({ reported: { attempt: 1, phase: "Polling", providerJobID: "j" } }) }),
    then: { type: "park" },
  },
  {
    when: "a status that says Pending does not forbid the submit of the same attempt",
    seen: seen({ attempt: intended(), task: task({ reported: { attempt: 1, phase: "Pending" } }) }),
    then: { type: "submit" },
  },
]);

table("an intent on disk", [
  {
    when: "past its deadline it gives its credits back",
    seen: seen({
      attempt: intended(),
      now: after(NOON, MINUTE),
      task: task({ wish: { activeDeadlineSeconds: 60 } }),
    }),
    then: {
      type: "end-attempt",
      ending: {
        ...{ reason: "NotCreated", charge: 0n, retryAfterMs: undefined },
        task: expect.objectContaining({ phase: "Failed", reason: "DeadlineExceeded" }),
      },
    },
  },
  {
    when: "a provider that is not ready is waited for",
    seen: seen({ attempt: intended(), provider: { state: "absent" } }),
    then: { type: "wait" },
  },
  {
    when: "a missing input is waited for",
    seen: seen({ attempt: intended(), inputProblem: "no Secret" }),
    then: { type: "wait" },
  },
  { when: "it is submitted", seen: seen({ attempt: intended() }), then: { type: "submit", attempt: intended() } },
  {
    when: "a cancelled one gives its credits back",
    seen: seen({ attempt: intended(), task: task({ wish: { cancelRequested: true } }) }),
    then: { type: "end-attempt", ending: expect.objectContaining({ reason: "NotCreated", charge: 0n }) },
  },
  {
    when: "a deleted one gives its credits back",
    seen: seen({ attempt: intended(), ...deleted(0) }),
    then: { type: "end-attempt" },
  },
  {
    when: "a suspended one rests",
    seen: seen({ attempt: intended(), task: task({ wish: { suspend: true } }) }),
    then: { type: "rest" },
  },
  {
    when: "a suspended one wakes at its deadline, to give its credits back",
    seen: seen({ attempt: intended(), task: task({ wish: { suspend: true, activeDeadlineSeconds: 60 } }) }),
    then: { type: "wait", ms: MINUTE },
  },
]);

test.each([
  { pinnedKey: "other/uid-9", is: "refused, and told so", forbids: false },
  { pinnedKey: "studio/uid-9", is: "of unknown origin, and evidence until it is parked", forbids: true },
])("an object with the key $pinnedKey is $is", ({ forbids, pinnedKey }) => {
  expect(statusForbids(seen({ record: undefined, task: task({ pinnedKey }) }))).toBe(forbids);
});

test("an object that was restored under another UID, and whose record is known, is in no doubt", () => {
  expect(statusForbids(seen({ record: record(), task: task({ pinnedKey: "studio/uid-9" }) }))).toBe(false);
});
