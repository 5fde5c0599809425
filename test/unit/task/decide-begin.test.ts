import { expect } from "@jest/globals";
import { micro } from "../../../operator/task/credits.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import { table } from "./decision-table.ts";
import {
  KEY,
  MINUTE,
  NOON,
  SECOND,
  accepted,
  after,
  ended,
  record,
  seen,
  settings,
  task,
} from "../../builders/seen.ts";

function pricedBy(input: Readonly<Record<string, unknown>>, inputFrom: readonly unknown[] = []): Observation {
  const models = [{ name: "acme-image", price: { perOutput: "0.01", countField: "n" } }];
  const wish = { input, ...(inputFrom.length > 0 && { inputFrom }) };
  return seen({ task: task({ wish }), provider: { state: "ready", settings: settings({ models }) } });
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
  ...[1_000_001, 1e15, 0, -1, "1000001", "many", "5s", "", true, [5], {}].map((count) => ({
    when: `a count of ${JSON.stringify(count)} is refused by its field, never priced as 1`,
    seen: pricedBy({ n: count }),
    then: {
      type: "end-task",
      end: { phase: "Rejected", reason: "NotSupported", message: expect.stringContaining("spec.input.n:") },
    } as const,
  })),
  ...[5, "5", " 5 ", 4.2].map((count) => ({
    when: `a count of ${JSON.stringify(count)} is priced as 5`,
    seen: pricedBy({ n: count }),
    then: { type: "begin", estimate: micro(50_000n) } as const,
  })),
  ...[{}, { n: null }].map((input) => ({
    when: `without a count, as in ${JSON.stringify(input)}, one output is meant`,
    seen: pricedBy(input),
    then: { type: "begin", estimate: micro(10_000n) } as const,
  })),
  {
    when: "a count that comes from a Secret can't be priced",
    seen: pricedBy({}, [{ path: "/n", secretKeyRef: { name: "a", key: "b" } }]),
    then: { type: "end-task", end: expect.objectContaining({ phase: "Rejected", reason: "NotSupported" }) },
  },
  {
    when: "a price that between two attempts came to depend on a field that is no number ends the task",
    seen: { ...pricedBy({ n: "many" }), record: record(), attempt: ended({ retryAt: NOON }) },
    then: { type: "end-task", end: expect.objectContaining({ phase: "Failed", reason: "NotSupported" }) },
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
