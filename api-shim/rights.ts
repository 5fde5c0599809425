// Every right that the shim needs, as data with a reason each: none of the operator's own (no status, no finalizer, no
// Secret, no Lease). Tests run the shim with exactly these.
import { REVIEW_RIGHTS } from "../operator/access/rights.ts";
import type { KubeObject } from "../operator/runtime/objects.ts";
import { renderRbac, type Right } from "../operator/kube/rbac.ts";
import { GROUP } from "../operator/task/resource.ts";

export const SHIM_RIGHTS: readonly Right[] = [
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "generationtasks",
    verbs: ["list", "watch"],
    reason: "one watch feeds all event streams and counts the backlog; lists are answered by namespace",
  },
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "generationtasks",
    verbs: ["get", "create", "patch", "delete"],
    reason: "what its callers ask for, each after the cluster was asked whether they may",
  },
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "creditgrants",
    verbs: ["list"],
    reason: "GET /v1/credits",
  },
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "generationproviders",
    verbs: ["list"],
    reason: "GET /v1/providers: those that serve the caller's namespace",
  },
  {
    scope: "cluster",
    apiGroup: "",
    resource: "namespaces",
    verbs: ["get"],
    reason: "the labels that spec.allowedNamespaces of a provider may choose by",
  },
  {
    scope: "cluster",
    apiGroup: "events.k8s.io",
    resource: "events",
    verbs: ["list"],
    reason: "GET /v1/tasks/{id}/history: the operator's events of one task",
  },
  ...REVIEW_RIGHTS,
];

export interface ShimNames {
  /** Of the ClusterRole and its binding. */
  readonly name: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** The role and its binding, ready to be applied. */
export function renderShimRbac(names: ShimNames): readonly KubeObject[] {
  const rendered = renderRbac({ ...names, leases: [], inputSecrets: "bound" }, SHIM_RIGHTS);
  return rendered.filter(({ kind, metadata }) => kind?.startsWith("ClusterRole") && metadata.name === names.name);
}
