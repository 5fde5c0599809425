// Observations for tests: each builder has defaults and takes what a row is about.
import type { Attempt, AttemptIn } from "../../operator/task/attempt.ts";
import type { AttemptId, ProviderJobId, TaskKey } from "../../operator/task/brand.ts";
import { ZERO, micro } from "../../operator/task/credits.ts";
import type { TaskRecord } from "../../operator/task/facts.ts";
import type { Observation, Policy } from "../../operator/task/observation.ts";
import type { ProviderSettings } from "../../operator/task/provider.ts";
import { ProviderSpec } from "../../operator/task/provider-resource.ts";
import { TaskSpec } from "../../operator/task/resource.ts";
import type { Task } from "../../operator/task/task.ts";

export const NOON = new Date("2026-06-01T12:00:00.000Z");
export const KEY = "studio/uid-1" as TaskKey;
export const JOB = "job-1" as ProviderJobId;

export function after(start: Date, ms: number): Date {
  return new Date(start.getTime() + ms);
}

export const SECOND = 1000;
export const MINUTE = 60_000;

/** Parses what is written alike once: a parse takes a millisecond, and a search makes thousands of worlds. */
function once<T>(parse: (written: unknown) => T): (written: unknown) => T {
  const known = new Map<string, T>();
  return (written) => {
    const key = JSON.stringify(written);
    const parsed = known.get(key) ?? parse(written);
    known.set(key, parsed);
    return parsed;
  };
}

const parseSpec = once((written) => TaskSpec.parse(written));
const parseProvider = once((written) => ProviderSpec.parse(written));

/** A spec as a user would write it, parsed as the operator parses it. */
export function spec(overrides: Readonly<Record<string, unknown>> = {}): TaskSpec {
  return parseSpec({ providerRef: { name: "acme" }, model: "acme-image", input: { prompt: "p" }, ...overrides });
}

export function task(overrides: Partial<Task> & { readonly wish?: Readonly<Record<string, unknown>> } = {}): Task {
  const { wish, ...rest } = overrides;
  return {
    objectKey: "studio/sunrise",
    namespace: "studio",
    name: "sunrise",
    uid: "uid-1",
    generation: 1,
    createdAt: NOON,
    spec: spec(wish),
    specHash: "hash",
    pinnedKey: KEY,
    finalizer: true,
    deletedAt: undefined,
    reported: {},
    ...rest,
  };
}

/** Expressions for every capability, so that a row may claim any. They are never evaluated here. */
const HTTP = {
  idempotencyHeader: "Idempotency-Key",
  submit: { path: '"/jobs"', body: "{}", jobID: "response.body.id", reused: "false" },
  query: { path: '"/jobs/" + attempt.jobID', state: "response.body.state" },
  lookUp: { path: '"/jobs?ref=" + attempt.id', jobID: "response.body.id" },
  list: { path: '"/jobs"', items: "response.body.items", jobID: "item.id", ref: "item.ref" },
  webhook: { jobID: "webhook.body.id" },
  cancel: { path: '"/jobs/" + attempt.jobID + "/cancel"' },
};

export function settings(overrides: Readonly<Record<string, unknown>> = {}): ProviderSettings {
  const parsed = parseProvider({
    adapter: "http",
    baseURL: "https://api.acme.example/v1",
    models: [{ name: "acme-image", price: { perRequest: "0.10" } }],
    http: HTTP,
    ...overrides,
  });
  const { capabilities, models, outputs, timeouts, unknown } = parsed;
  return { name: "acme", capabilities, models, outputs, timeouts, unknown };
}

export function record(overrides: Partial<TaskRecord> = {}): TaskRecord {
  return {
    key: KEY,
    uid: "uid-1",
    namespace: "studio",
    name: "sunrise",
    specHash: "hash",
    registeredAt: NOON,
    ended: undefined,
    parked: undefined,
    waiting: undefined,
    ...overrides,
  };
}

const BEGUN = {
  id: "00000000-0000-4000-8000-000000000001" as AttemptId,
  number: 1,
  provider: "acme",
  model: "acme-image",
  held: micro(100_000n),
  begunAt: NOON,
} as const;
const WITH_JOB = { ...BEGUN, jobId: JOB, sentAt: NOON, acceptedAt: NOON, cancelAskedAt: undefined } as const;

export function intended(overrides: Partial<AttemptIn<"intended">> = {}): AttemptIn<"intended"> {
  return { ...BEGUN, state: "intended", ...overrides };
}

export function sent(overrides: Partial<AttemptIn<"sent">> = {}): AttemptIn<"sent"> {
  const search = { misses: 0, looks: 0, nextAt: undefined };
  return {
    ...BEGUN,
    state: "sent",
    sentAt: NOON,
    deadline: after(NOON, 40 * SECOND),
    ambiguity: undefined,
    search,
    ...overrides,
  };
}

/** A submit whose answer was lost at `NOON`. */
export function unknown(overrides: Partial<AttemptIn<"sent">> = {}): AttemptIn<"sent"> {
  return sent({ ambiguity: { code: "reset", at: NOON }, ...overrides });
}

export function accepted(overrides: Partial<AttemptIn<"accepted">> = {}): AttemptIn<"accepted"> {
  return {
    ...WITH_JOB,
    state: "accepted",
    polls: 1,
    nextPollAt: NOON,
    progress: undefined,
    emptySince: undefined,
    missing: undefined,
    ...overrides,
  };
}

export function ready(overrides: Partial<AttemptIn<"ready">> = {}): AttemptIn<"ready"> {
  return {
    ...WITH_JOB,
    state: "ready",
    readyAt: NOON,
    cost: micro(60_000n),
    fetches: 0,
    nextFetchAt: NOON,
    expiredSince: undefined,
    ...overrides,
  };
}

export function ended(overrides: Partial<AttemptIn<"ended">> = {}): AttemptIn<"ended"> {
  return {
    ...BEGUN,
    state: "ended",
    endedAt: NOON,
    reason: "NotCreated",
    jobId: undefined,
    sentAt: NOON,
    retryAt: undefined,
    ...overrides,
  };
}

export const POLICY: Policy = {
  deletionGraceMs: 15 * MINUTE,
  providerGraceMs: MINUTE,
  slaClasses: { interactive: { activeDeadlineSeconds: 60 } },
};

/** All that a pass sees. With an attempt there is a record, unless a row says otherwise. */
export function seen(overrides: Partial<Observation> & { readonly attempt?: Attempt | undefined } = {}): Observation {
  return {
    now: NOON,
    task: task(),
    record: overrides.attempt ? record() : undefined,
    attempt: undefined,
    claim: undefined,
    late: undefined,
    paidAttempts: overrides.attempt ? 1 : 0,
    freeAttempts: 0,
    credits: { reserved: ZERO, settled: ZERO, released: ZERO },
    assets: [],
    provider: { state: "ready", settings: settings() },
    ownerExists: true,
    inputProblem: undefined,
    neverSent: false,
    policy: POLICY,
    ...overrides,
  };
}
