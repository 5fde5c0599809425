// Every right in the cluster that telling needs: to ask who somebody is and what he may. It reads no object itself.
import { REVIEW_RIGHTS } from "../access/rights.ts";
import { renderRbac } from "../kube/rbac.ts";
import type { KubeObject } from "../runtime/objects.ts";

export interface EvidenceNames {
  /** Of the ClusterRole and its binding. */
  readonly name: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** The role and its binding, ready to be applied. */
export function renderEvidenceRbac(names: EvidenceNames): readonly KubeObject[] {
  const rendered = renderRbac({ ...names, leases: [], inputSecrets: "bound" }, REVIEW_RIGHTS);
  return rendered.filter(({ kind, metadata }) => kind?.startsWith("ClusterRole") && metadata.name === names.name);
}
