// In which way a job whose submit has no answer is looked for, and when.
import { JOB, MINUTE, NOON, SECOND, after, record, seen, sent, settings, task, unknown } from "../../builders/seen.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import { table } from "./decision-table.ts";

const provider = (overrides: Readonly<Record<string, unknown>>): { readonly provider: Observation["provider"] } => ({
  provider: { state: "ready", settings: settings(overrides) },
});
const lookUp = { capabilities: { lookupByClientID: true } };
const SEARCH = { misses: 0, looks: 1, nextAt: after(NOON, 2 * SECOND) };
const TAKEN = { ...SEARCH, nextAt: undefined, takenAt: NOON };
const CLAIM = { jobId: JOB, by: "webhook", looks: 0 } as const;
const adopting = { capabilities: { webhookAdoption: true } };
/** A key that is worth something until 25 s after the submit: a minute, less what a replay takes. */
const brief = {
  capabilities: { idempotency: "Replay", idempotencyWindowSeconds: 60, lookupByClientID: true },
  timeouts: { submitSeconds: 30, connectSeconds: 5 },
};

table("a submit whose answer is missing is looked for in the surest way", [
  {
    when: "what this process knows it did not send is ended as never created, before its deadline as well",
    seen: seen({ attempt: sent(), neverSent: true }),
    then: {
      type: "end-attempt",
      ending: { reason: "NotCreated", charge: 0n, retryAfterMs: undefined, task: undefined },
    },
  },
  {
    when: "the call is over at its deadline",
    seen: seen({ attempt: sent(), now: after(NOON, 40 * SECOND), ...provider(lookUp) }),
    then: { type: "search" },
  },
  {
    when: "a provider that is gone is waited for",
    seen: seen({ attempt: unknown(), provider: { state: "absent" } }),
    then: { type: "wait", ms: 15 * SECOND },
  },
  {
    when: "a provider that can't be used just now is still asked",
    seen: seen({
      attempt: unknown(),
      provider: { state: "not-ready", settings: settings(lookUp), message: "no credential" },
    }),
    then: { type: "search" },
  },
  {
    when: "a key is replayed to the last moment in which its answer can still come inside the window",
    seen: seen({ attempt: unknown(), now: after(NOON, 25 * SECOND - 1), ...provider(brief) }),
    then: { type: "search", method: "replay" },
  },
  {
    when: "a key is not replayed any more when its answer could come too late",
    seen: seen({ attempt: unknown(), now: after(NOON, 25 * SECOND), ...provider(brief) }),
    then: { type: "search", method: "look-up" },
  },
  {
    when: "a key that the provider has said is used is not replayed",
    seen: seen({ attempt: unknown({ search: TAKEN }), ...provider(brief) }),
    then: { type: "search", method: "look-up" },
  },
  ...[
    { why: "was deleted", of: task({ deletedAt: NOON }) },
    { why: "was cancelled", of: task({ wish: { cancelRequested: true } }) },
    { why: "is past its deadline", of: task({ wish: { activeDeadlineSeconds: 1 } }) },
  ].map(({ of, why }) => ({
    when: `a task that ${why} is looked for in an exact list before a replay could make its job`,
    seen: seen({
      attempt: unknown(),
      task: of,
      record: record({ registeredAt: after(NOON, -MINUTE) }),
      ...provider({ capabilities: { idempotency: "Replay", correlate: "Exact" } }),
    }),
    then: { type: "search", method: "list" } as const,
  })),
  {
    when: "a list that shows likenesses alone does not keep a replay from telling for sure",
    seen: seen({
      attempt: unknown(),
      task: task({ wish: { cancelRequested: true } }),
      ...provider({ capabilities: { idempotency: "Replay", correlate: "Heuristic" } }),
    }),
    then: { type: "search", method: "replay" },
  },
  {
    when: "a list of likenesses is better than nothing",
    seen: seen({ attempt: unknown(), ...provider({ capabilities: { correlate: "Heuristic" } }) }),
    then: { type: "search", method: "list" },
  },
  {
    when: "a look-up is surer than a list",
    seen: seen({
      attempt: unknown(),
      ...provider({ capabilities: { lookupByClientID: true, correlate: "Exact" } }),
    }),
    then: { type: "search", method: "look-up" },
  },
]);

table("a submit of which only a webhook may tell", [
  {
    when: "where only a webhook can tell, it is waited for",
    seen: seen({ attempt: unknown(), ...provider(adopting) }),
    then: { type: "wait", ms: MINUTE },
  },
  {
    when: "where no webhook came in time, a person is asked",
    seen: seen({ attempt: unknown(), now: after(NOON, 60 * MINUTE), ...provider(adopting) }),
    then: { type: "park" },
  },
  {
    when: "where webhooks name jobs and the provider can be asked, it is asked",
    seen: seen({
      attempt: unknown(),
      ...provider({ capabilities: { webhookAdoption: true, lookupByClientID: true } }),
    }),
    then: { type: "search" },
  },
  {
    when: "a job that a webhook names is asked for at once, whenever the next look would be",
    seen: seen({ attempt: unknown({ search: SEARCH }), claim: CLAIM, ...provider(adopting) }),
    then: { type: "confirm", claim: CLAIM },
  },
  {
    when: "a claim without a clear answer waits for its next look",
    seen: seen({ attempt: unknown({ search: SEARCH }), claim: { ...CLAIM, looks: 1 }, ...provider(adopting) }),
    then: { type: "wait", ms: 2 * SECOND },
  },
  {
    when: "a claim without a clear answer is asked for again when that has come",
    seen: seen({
      attempt: unknown({ search: SEARCH }),
      claim: { ...CLAIM, looks: 1 },
      now: after(NOON, 2 * SECOND),
      ...provider(adopting),
    }),
    then: { type: "confirm" },
  },
  {
    when: "a claim whose next look has no time is asked for now",
    seen: seen({ attempt: unknown(), claim: { ...CLAIM, looks: 1 }, ...provider(adopting) }),
    then: { type: "confirm" },
  },
  {
    when: "a claim is nothing where this provider's webhooks name no jobs",
    seen: seen({ attempt: unknown(), claim: CLAIM, ...provider(lookUp) }),
    then: { type: "search" },
  },
]);
