// What a task's status says of it: the phase, and one reason and sentence.
import { describe, expect, test } from "@jest/globals";
import type { Observation } from "../../../operator/task/observation.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import { statusOf } from "../../../operator/task/status.ts";
import {
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

interface Told {
  readonly phase: string;
  readonly reason: keyof typeof REASONS;
  readonly message?: string;
}

const waiting = (reason: "InsufficientCredits" | "BudgetExhausted" | "QuotaExhausted"): Partial<Observation> => ({
  record: record({ waiting: { reason, position: undefined, until: undefined } }),
});
const EMPTY = "the provider says completed and names no output yet: it is asked again before that is believed";
const NOT_READY = { state: "not-ready", settings: settings(), message: "spec.http.query is unreadable" } as const;
const END = { phase: "Failed", reason: "JobLost", message: "as it was written then", at: NOON } as const;

describe("a task is told to be", () => {
  test.each<{ readonly when: string; readonly of: Partial<Observation>; readonly told: Told }>([
    { when: "nothing has happened yet", of: {}, told: { phase: "Pending", reason: "Accepted" } },
    {
      when: "it is suspended, whatever its provider is",
      of: { task: task({ wish: { suspend: true } }), provider: { state: "absent" } },
      told: { phase: "Pending", reason: "Suspended" },
    },
    {
      when: "its provider does not exist",
      of: { provider: { state: "absent" } },
      told: {
        ...{ phase: "Pending", reason: "ProviderNotReady" },
        message: 'waiting for GenerationProvider "acme": it does not exist',
      },
    },
    {
      when: "its provider is not ready",
      of: { provider: NOT_READY },
      told: {
        ...{ phase: "Pending", reason: "ProviderNotReady" },
        message: `${REASONS.ProviderNotReady}: spec.http.query is unreadable`,
      },
    },
    {
      when: "its provider was closed to it",
      of: { provider: { state: "not-allowed" } },
      told: { phase: "Pending", reason: "NamespaceNotAllowed" },
    },
    {
      when: "a Secret is missing",
      of: { inputProblem: "cannot read the Secret" },
      told: { phase: "Pending", reason: "InputUnavailable", message: "cannot read the Secret" },
    },
    ...(["InsufficientCredits", "BudgetExhausted", "QuotaExhausted"] as const).map((reason) => ({
      when: `it waits for ${reason}`,
      of: { attempt: intended(), ...waiting(reason) },
      told: { phase: "Pending", reason },
    })),
    { when: "its credits are held", of: { attempt: intended() }, told: { phase: "Pending", reason: "Held" } },
    {
      when: "its attempt ended for nothing",
      of: { attempt: ended() },
      told: { phase: "Pending", reason: "RetryLater" },
    },
    {
      when: "the call is under way",
      of: { attempt: sent(), now: after(NOON, 40 * SECOND - 1) },
      told: { phase: "Submitting", reason: "Submitting" },
    },
    {
      when: "the call's deadline has come",
      of: { attempt: sent(), now: after(NOON, 40 * SECOND) },
      told: { phase: "SubmitUnknown", reason: "SubmitUnknown" },
    },
    {
      when: "the answer was lost",
      of: { attempt: unknown() },
      told: { phase: "SubmitUnknown", reason: "SubmitUnknown" },
    },
    {
      when: "the job was never asked for",
      of: { attempt: accepted({ polls: 0 }) },
      told: { phase: "Polling", reason: "Accepting" },
    },
    { when: "the job runs", of: { attempt: accepted() }, told: { phase: "Polling", reason: "Running" } },
    {
      when: "the job was asked to cancel, whatever else is doubted",
      of: { attempt: accepted({ cancelAskedAt: NOON, missing: { since: NOON, answers: 1 }, emptySince: NOON }) },
      told: { phase: "Polling", reason: "Cancelling" },
    },
    {
      when: "the job is missing just now",
      of: { attempt: accepted({ missing: { since: NOON, answers: 1 }, emptySince: NOON }) },
      told: { phase: "Polling", reason: "JobMissing" },
    },
    {
      when: "the job has no outputs yet",
      of: { attempt: accepted({ emptySince: NOON }) },
      told: { phase: "Polling", reason: "OutputMissing", message: EMPTY },
    },
    { when: "its outputs are copied", of: { attempt: ready() }, told: { phase: "Fetching", reason: "Fetching" } },
    { when: "it has ended", of: { record: record({ ended: END }) }, told: END },
    {
      when: "it is parked",
      of: {
        attempt: unknown(),
        record: record({ parked: { reason: "SubmitUnresolved", message: "who knows", at: NOON } }),
      },
      told: { phase: "NeedsReview", reason: "SubmitUnresolved", message: "who knows" },
    },
    {
      when: "a person's decision on it can't be carried out",
      of: {
        attempt: unknown(),
        record: record({ parked: { reason: "SubmitUnresolved", message: "who knows", at: NOON } }),
        task: task({ wish: { resolution: { attempt: 2, decision: "WriteOff" } } }),
      },
      told: {
        ...{ phase: "NeedsReview", reason: "SubmitUnresolved" },
        message: "who knows (spec.resolution is about attempt 2, and attempt 1 is in question)",
      },
    },
    {
      when: "it is a copy from another namespace",
      of: { task: task({ pinnedKey: "other/uid-1" }) },
      told: { phase: "Rejected", reason: "ForeignKey" },
    },
    {
      when: "it is a second object of a wish",
      of: { record: record({ uid: "uid-0" }) },
      told: { phase: "Rejected", reason: "DuplicateKey", message: `${REASONS.DuplicateKey}: studio/sunrise` },
    },
    {
      when: "its key was used for another wish",
      of: { record: record({ uid: "uid-0", specHash: "other" }), ownerExists: false },
      told: { phase: "Rejected", reason: "KeyReused" },
    },
  ])("$told.phase, $told.reason, when $when", ({ of, told: { message, phase, reason } }) => {
    expect(statusOf(seen(of))).toMatchObject({ phase, reason, message: message ?? REASONS[reason] });
  });

  test("in at most as many letters as a status may have, a refusal never cut", () => {
    const long = record({ parked: { reason: "JobStalled", message: "m".repeat(2000), at: NOON } });
    const cut = statusOf(seen({ attempt: accepted(), record: long })).message;
    expect(cut).toBe("m".repeat(1024));
    const wrong = task({ wish: { resolution: { attempt: 2, decision: "WriteOff" } } });
    const refusal = " (spec.resolution is about attempt 2, and attempt 1 is in question)";
    const refused = statusOf(seen({ attempt: accepted(), record: long, task: wrong })).message;
    expect(refused).toBe(`${"m".repeat(1024 - refusal.length)}${refusal}`);
    const far = statusOf(seen({ inputProblem: "p".repeat(2000) })).message;
    expect(far).toBe("p".repeat(1024));
  });
});

test("a copy that is refused shows nothing of the record, which is another object's", () => {
  const status = statusOf(seen({ attempt: accepted(), record: record({ uid: "uid-0" }) }));
  expect(Object.keys(status).sort()).toEqual(["conditions", "message", "observedGeneration", "phase", "reason"]);
});
