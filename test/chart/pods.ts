// The pods inside of rendered objects.
import type { Rendered } from "./helm.ts";

export interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext?: unknown;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly terminationGracePeriodSeconds?: number;
}

/** Of a Deployment or a Job; undefined for what has no pods. */
export function podSpecOf(object: Rendered): PodSpec | undefined {
  const spec = object.spec as { readonly template?: { readonly spec?: PodSpec } } | undefined;
  return spec?.template?.spec;
}

export function containersOf(object: Rendered | undefined): readonly Container[] {
  const pod = object && podSpecOf(object);
  return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])];
}
