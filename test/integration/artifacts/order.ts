// What is fetched in these tests: a task's order, its provider's settings, and how its outputs may be reached.
import { randomUUID } from "node:crypto";
import type { OutputAccess } from "../../../operator/artifacts/access.ts";
import type { FetchOrder } from "../../../operator/reconcile/ports.ts";
import type { AttemptId, ProviderJobId, TaskKey } from "../../../operator/task/brand.ts";
import { ZERO } from "../../../operator/task/credits.ts";
import type { Output } from "../../../operator/task/outcome.ts";
import type { ProviderSettings } from "../../../operator/task/provider.ts";
import { ProviderSpec } from "../../../operator/task/provider-resource.ts";

export const KEY = "studio/order-1" as TaskKey;

/** Downloads from loopback over plain HTTP, as from a model hosted by oneself. */
export function loopbackAccess(ports: readonly number[], credential?: OutputAccess["credential"]): OutputAccess {
  return {
    allowPrivateAddresses: true,
    connectMs: 2_000,
    rules: { allowPlainHttp: true, hosts: ports.map((port) => `127.0.0.1:${port}`) },
    credential,
  };
}

export function output(url: string, more: Partial<Output> = {}): Output {
  return { url, name: undefined, mediaType: undefined, bytes: undefined, ...more };
}

export function orderOf(
  outputs: readonly Output[],
  more: Partial<FetchOrder["limits"]> = {},
  id: string = randomUUID(),
): FetchOrder {
  const now = new Date();
  return {
    attempt: {
      ...{ state: "ready", id: id as AttemptId, number: 1, provider: "acme", model: "m", held: ZERO, cost: undefined },
      ...{ begunAt: now, sentAt: now, acceptedAt: now, readyAt: now, nextFetchAt: now, cancelAskedAt: undefined },
      ...{ jobId: "job-1" as ProviderJobId, fetches: 0, expiredSince: undefined },
    },
    task: { key: KEY, namespace: "studio", name: "sunrise" },
    outputs,
    limits: { maxBytes: 1_000_000_000, mediaTypes: undefined, minCount: 1, ...more },
  };
}

export function settings(fetchSeconds = 60): ProviderSettings {
  const spec = ProviderSpec.parse({
    adapter: "http",
    baseURL: "https://api.acme.example",
    models: [{ name: "m", price: { perRequest: "0.01" } }],
    timeouts: { fetchSeconds },
    http: {
      submit: { path: '"/jobs"', body: "task.input", jobID: "response.body.id" },
      query: { path: '"/jobs/" + attempt.jobID', state: "response.body.state" },
    },
  });
  const { models, timeouts, outputs, capabilities, unknown } = spec;
  return { name: "acme", models, timeouts, outputs, capabilities, unknown };
}
