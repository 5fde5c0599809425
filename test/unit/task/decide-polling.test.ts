import { expect } from "@jest/globals";
import type { Observation } from "../../../operator/task/observation.ts";
import { micro } from "../../../operator/task/credits.ts";
import { table } from "./decision-table.ts";
import { MINUTE, NOON, SECOND, accepted, after, ready, seen, settings, task } from "../../builders/seen.ts";

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
