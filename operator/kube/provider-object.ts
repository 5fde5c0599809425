// A GenerationProvider as the API server sends it, read into a ProviderSpec, and what is kept of it in memory.
import { apiVersionOf, type KubeObject } from "../runtime/objects.ts";
import { ProviderSpec, ProviderStatus } from "../task/provider-resource.ts";
import { PROVIDERS } from "./kinds.ts";
import { sentenceOf } from "./problems.ts";
import { slimMeta } from "./task-object.ts";

export interface WireProvider extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

export type ProviderRead =
  | { readonly outcome: "read"; readonly spec: ProviderSpec }
  /** One sentence that names the field. */
  | { readonly outcome: "unreadable"; readonly message: string };

export function readProvider(object: WireProvider): ProviderRead {
  const spec = ProviderSpec.safeParse(object.spec);
  return spec.success
    ? { outcome: "read", spec: spec.data }
    : { outcome: "unreadable", message: sentenceOf(spec.error, { what: "read the provider", root: "spec" }) };
}

/** The status, or an empty one when it is none of ours. */
export function readProviderStatus(status: unknown): ProviderStatus {
  return ProviderStatus.safeParse(status ?? {}).success ? (status ?? {}) : {};
}

/** The transform of the cache. */
export function slimProvider(object: WireProvider): WireProvider {
  return {
    ...object,
    apiVersion: apiVersionOf(PROVIDERS),
    kind: "GenerationProvider",
    metadata: slimMeta(object.metadata),
  };
}
