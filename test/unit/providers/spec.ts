// A GenerationProvider for the API of test/provider, to be varied by a test.
import { ProviderSpec } from "../../../operator/task/provider-resource.ts";
import type { SubmitRequest } from "../../../operator/reconcile/ports.ts";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import type { AttemptId, MicroCredits, ProviderJobId, TaskKey } from "../../../operator/task/brand.ts";

type SpecInput = Record<string, unknown>;

export const HTTP = {
  idempotencyHeader: "Idempotency-Key",
  submit: {
    path: '"/jobs"',
    body: '{"model": task.model, "input": task.input, "ref": attempt.id}',
    jobID: "response.body.id",
  },
  query: {
    path: '"/jobs/" + urlEncode(attempt.jobID)',
    state:
      'response.body.state == "done" ? "Succeeded" : response.body.state == "queued" ? "Queued" : ' +
      'response.body.state == "running" ? "Running" : response.body.state == "failed" ? "Failed" : ' +
      'response.body.state == "cancelled" ? "Cancelled" : "Unrecognised"',
    progress: "response.body.progress",
    outputs:
      'response.body.outputs.map(o, {"url": o.url, "name": o.name, "mediaType": o.media_type, "bytes": o.bytes})',
    cost: "response.body.cost",
    failure: "response.body.error.code",
  },
  lookUp: {
    path: '"/jobs?ref=" + urlEncode(attempt.id)',
    jobID: "response.body.items.filter(i, i.ref == attempt.id).map(i, i.id)",
  },
  list: {
    path: '"/jobs?limit=1000&created_after=" + urlEncode(string(attempt.sentAt - duration("300s")))',
    items: "response.body.items",
    jobID: "item.id",
    ref: "item.ref",
  },
  cancel: { method: "POST", path: '"/jobs/" + urlEncode(attempt.jobID) + "/cancel"' },
};

export const SPEC: SpecInput = {
  adapter: "http",
  baseURL: "http://127.0.0.1:9/v1",
  credentials: { secretRef: { name: "acme", key: "token" }, header: "Authorization", prefix: "Bearer " },
  models: [{ name: "acme-image", price: { perRequest: "0.01" } }],
  network: { allowPrivateAddresses: true, allowPlainHTTP: true },
  capabilities: { idempotency: "Replay", lookupByClientID: true, correlate: "Exact", cancel: "Request" },
  http: HTTP,
};

export const parsedSpec = (changes: SpecInput = {}): ProviderSpec => ProviderSpec.parse({ ...SPEC, ...changes });

export const ATTEMPT_ID = "0198f0aa-0000-7000-8000-000000000001" as AttemptId;

export function submitRequestOf(changes: Partial<SubmitRequest> = {}): SubmitRequest {
  return {
    attemptId: ATTEMPT_ID,
    model: "acme-image",
    input: { prompt: "a quiet harbour" },
    task: { namespace: "studio", name: "sunrise", key: "studio/order-1" as TaskKey },
    ...changes,
  };
}

const BEGUN = {
  id: ATTEMPT_ID,
  number: 1,
  provider: "acme",
  model: "acme-image",
  held: 10_000n as MicroCredits,
  begunAt: new Date("2026-11-30T12:00:00Z"),
};

export function sentAttempt(changes: Partial<AttemptIn<"sent">> = {}): AttemptIn<"sent"> {
  return {
    ...BEGUN,
    state: "sent",
    sentAt: new Date("2026-11-30T12:00:01Z"),
    deadline: new Date("2026-11-30T12:00:31Z"),
    ambiguity: undefined,
    search: { misses: 0, looks: 0, nextAt: undefined },
    ...changes,
  };
}

export function acceptedAttempt(jobId = "job-1"): AttemptIn<"accepted"> {
  return {
    ...BEGUN,
    state: "accepted",
    jobId: jobId as ProviderJobId,
    sentAt: new Date("2026-11-30T12:00:01Z"),
    acceptedAt: new Date("2026-11-30T12:00:02Z"),
    cancelAskedAt: undefined,
    polls: 0,
    nextPollAt: new Date("2026-11-30T12:00:03Z"),
    progress: undefined,
    emptySince: undefined,
    missing: undefined,
  };
}
