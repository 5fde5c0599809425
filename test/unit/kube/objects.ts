// Objects as an API server sends them, with what a test is about put over the rest.
import type { WireTask } from "../../../operator/kube/task-object.ts";
import type { WireProvider } from "../../../operator/kube/provider-object.ts";
import type { ObjectMeta } from "../../../operator/runtime/objects.ts";

export const CREATED = "2026-11-30T12:00:00Z";

export function wireTask(
  over: { metadata?: Partial<ObjectMeta>; spec?: Record<string, unknown>; status?: unknown } = {},
): WireTask {
  return {
    metadata: {
      name: "sunrise",
      namespace: "studio",
      uid: "uid-1",
      resourceVersion: "7",
      generation: 1,
      creationTimestamp: CREATED,
      ...over.metadata,
    },
    spec: {
      providerRef: { name: "simulated" },
      model: "sim-image",
      input: { prompt: "a quiet harbour at sunrise", num_outputs: 2 },
      ...over.spec,
    },
    ...("status" in over && { status: over.status }),
  };
}

export function wireProvider(
  over: { metadata?: Partial<ObjectMeta>; spec?: Record<string, unknown> } = {},
): WireProvider {
  return {
    metadata: {
      name: "acme",
      uid: "uid-p",
      resourceVersion: "7",
      generation: 1,
      creationTimestamp: CREATED,
      ...over.metadata,
    },
    spec: {
      adapter: "http",
      baseURL: "https://api.acme.example/v1",
      credentials: { secretRef: { name: "acme", key: "token" }, prefix: "Bearer " },
      models: [{ name: "acme-image", price: { perRequest: "0.01" } }],
      http: {
        submit: { path: '"/jobs"', body: '{"model": task.model}', jobID: "response.body.id" },
        query: { path: '"/jobs/" + attempt.jobID', state: "response.body.state" },
      },
      ...over.spec,
    },
  };
}
