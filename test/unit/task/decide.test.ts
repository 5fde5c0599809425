import { describe, expect, test } from "@jest/globals";
import { decide } from "../../../operator/task/decide/decide.ts";
import type { Action } from "../../../operator/task/action.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import { micro } from "../../../operator/task/credits.ts";
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
  settings,
  task,
  unknown,
} from "../../builders/seen.ts";

interface Row {
  readonly when: string;
  readonly seen: Observation;
  /** The fields of the action that the row is about. */
  readonly then: Partial<Action> & { readonly type: Action["type"] };
}

const provider = (overrides: Readonly<Record<string, unknown>>): { readonly provider: Observation["provider"] } => ({
  provider: { state: "ready", settings: settings(overrides) },
});
const lookUp = { capabilities: { lookupByClientID: true } };
const deleted = (minutes: number, wish: Readonly<Record<string, unknown>> = {}): Partial<Observation> => ({
  task: task({ deletedAt: NOON, wish }),
  now: after(NOON, minutes * MINUTE),
});

function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    test.each(rows)("$when", (row) => {
      expect(decide(row.seen)).toMatchObject(row.then);
    });
  });
}

table("before the first attempt", [
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
]);

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
    when: "a deleted object asks for the cancel and waits for the answer",
    seen: seen({ attempt: accepted(), ...deleted(1), ...provider({ capabilities: { cancel: "Request" } }) }),
    then: { type: "ask-cancel" },
  },
  {
    when: "Orphan lets the job go at once, charged as estimated",
    seen: seen({ attempt: accepted(), ...deleted(0, { deletionPolicy: "Orphan" }) }),
    then: { type: "end-attempt", ending: expect.objectContaining({ reason: "Orphaned", charge: micro(100_000n) }) },
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
    seen: seen({ attempt: accepted({ cancelAskedAt: NOON }), now: after(NOON, 36 * MINUTE) }),
    then: { type: "park", parked: expect.objectContaining({ reason: "JobStalled" }) },
  },
  {
    when: "a provider that is gone is waited for",
    seen: seen({ attempt: accepted(), provider: { state: "absent" } }),
    then: { type: "wait" },
  },
]);

table("outputs that wait", [
  { when: "they are fetched", seen: seen({ attempt: ready() }), then: { type: "fetch" } },
  {
    when: "a cancel that comes now comes too late",
    seen: seen({ attempt: ready(), task: task({ wish: { cancelRequested: true } }) }),
    then: { type: "fetch" },
  },
  {
    when: "a deleted object settles what was billed",
    seen: seen({ attempt: ready(), ...deleted(0) }),
    then: { type: "end-attempt", ending: expect.objectContaining({ charge: micro(60_000n) }) },
  },
]);

const parked = (reason: "SubmitUnresolved" | "JobStalled" | "RecordMissing"): Partial<Observation> => ({
  record: record({ parked: { reason, message: "m", at: NOON } }),
});
const resolution = (decision: string, jobID?: string): Partial<Observation> => ({
  task: task({ wish: { resolution: { attempt: 1, decision, ...(jobID && { jobID }) } } }),
});

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
    when: "a job that a person names is bound",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved"), ...resolution("BindJob", "job-1") }),
    then: { type: "bind", jobId: JOB },
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
    when: "deletion has a way out",
    seen: seen({ attempt: unknown(), ...parked("SubmitUnresolved"), ...deleted(15) }),
    then: { type: "end-attempt" },
  },
]);

const over = {
  record: record({ ended: { phase: "Succeeded", reason: "AssetsPublished", message: "m", at: NOON } }),
} as const;

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
