// The rights by which one asks the cluster who somebody is and what he may. They give nothing else away.
import type { Right } from "../kube/rbac.ts";

export const REVIEW_RIGHTS: readonly Right[] = [
  {
    scope: "cluster",
    apiGroup: "authentication.k8s.io",
    resource: "tokenreviews",
    verbs: ["create"],
    reason: "who a token belongs to",
  },
  {
    scope: "cluster",
    apiGroup: "authorization.k8s.io",
    resource: "subjectaccessreviews",
    verbs: ["create"],
    reason: "what its owner may do in a namespace",
  },
];
