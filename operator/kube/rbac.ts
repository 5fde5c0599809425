// Every right that the operator needs, as data with a reason each, and the RBAC objects made from it. The chart, the demo
// and the integration tests use exactly these, so that a right too few fails a test and one too many has no reason here.
import type { KubeObject } from "../runtime/objects.ts";
import { GROUP } from "../task/resource.ts";
import { QUOTA_CONFIG_MAP } from "./quota.ts";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

export interface Right {
  /** `cluster`: in all namespaces. `own`: in the operator's namespace. `tenant`: where tasks may read Secrets. */
  readonly scope: "cluster" | "own" | "tenant";
  readonly apiGroup: string;
  readonly resource: string;
  readonly verbs: readonly Verb[];
  /** Only objects of these names; `leases` stands for the names of the operator's own Leases. */
  readonly names?: readonly string[] | "leases";
  readonly reason: string;
}

export const OPERATOR_RIGHTS: readonly Right[] = [
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "generationtasks",
    verbs: ["get", "list", "watch"],
    reason: "tasks are watched, and one is read live before it is paid for",
  },
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "generationtasks",
    verbs: ["patch"],
    reason: "the task key and the finalizer are written before anything has an effect outside",
  },
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "generationtasks",
    verbs: ["delete"],
    reason: "spec.ttlSecondsAfterFinished",
  },
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "generationtasks/status",
    verbs: ["patch"],
    reason: "progress is reported",
  },
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "generationproviders",
    verbs: ["list", "watch"],
    reason: "providers come and change while the operator runs",
  },
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "generationproviders/status",
    verbs: ["patch"],
    reason: "conditions of providers are reported",
  },
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "creditgrants",
    verbs: ["list", "watch", "patch"],
    reason: "grants are booked under a key that is first written onto the object",
  },
  {
    scope: "cluster",
    apiGroup: GROUP,
    resource: "creditgrants/status",
    verbs: ["patch"],
    reason: "that a grant is booked is reported",
  },
  {
    scope: "cluster",
    apiGroup: "",
    resource: "namespaces",
    verbs: ["get", "list", "watch"],
    reason: "spec.allowedNamespaces of providers, and the UID of kube-system, which names the installation",
  },
  {
    scope: "cluster",
    apiGroup: "events.k8s.io",
    resource: "events",
    verbs: ["create", "patch"],
    reason: "transitions are told as events; repeated ones are counted",
  },
  {
    scope: "tenant",
    apiGroup: "",
    resource: "secrets",
    verbs: ["get"],
    reason: "spec.inputFrom of tasks: values by name, in the task's own namespace; nothing is listed or watched",
  },
  {
    scope: "own",
    apiGroup: "",
    resource: "secrets",
    verbs: ["get"],
    reason: "credentials of providers, by name",
  },
  {
    scope: "own",
    apiGroup: "",
    resource: "configmaps",
    verbs: ["list", "watch"],
    names: [QUOTA_CONFIG_MAP],
    reason: "the quota is in force as soon as it is changed",
  },
  {
    scope: "own",
    apiGroup: "coordination.k8s.io",
    resource: "leases",
    verbs: ["create"],
    reason: "the first replica makes the lease; a name can't be a condition of create",
  },
];

/** Where one replica leads at a time. */
export const LEASE_OF_ONE: readonly Right[] = [
  {
    scope: "own",
    apiGroup: "coordination.k8s.io",
    resource: "leases",
    verbs: ["get", "list", "watch", "update"],
    names: "leases",
    reason: "leadership: taken, renewed, given back, and taken over at once when it was",
  },
];

/** Instead of it where SHARDS is above 1: the names of members' Leases can't be known before. */
export const LEASES_OF_MANY: readonly Right[] = [
  {
    scope: "own",
    apiGroup: "coordination.k8s.io",
    resource: "leases",
    verbs: ["get", "list", "watch", "update", "delete"],
    reason:
      "leadership of shards; each replica keeps a lease that says that it is there, and takes away those of replicas that were killed",
  },
];

export interface RbacNames {
  /** Prefix of the names of all objects made. */
  readonly name: string;
  /** The operator's namespace, where its service account lives. */
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly leases: readonly string[];
  /** Whether replicas share the work out: SHARDS above 1. Default: no. */
  readonly sharded?: boolean;
  /** `everywhere`: a cluster-wide binding; `bound`: somebody binds ClusterRole `<name>-inputs` in chosen namespaces. */
  readonly inputSecrets: "everywhere" | "bound";
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** The roles and bindings, ready to be applied: the operator's, unless other rights are told. */
export function renderRbac(names: RbacNames, rights = operatorRights(names)): readonly KubeObject[] {
  const { name, namespace } = names;
  const inputs = `${name}-inputs`;
  const rules = (scope: Right["scope"]): readonly Rule[] =>
    rights.filter((right) => right.scope === scope).map((right) => ruleOf(right, names.leases));
  return [
    role("ClusterRole", { name }, rules("cluster")),
    binding("ClusterRole", { name }, { role: name, names }),
    role("ClusterRole", { name: inputs }, rules("tenant")),
    ...(names.inputSecrets === "everywhere" ? [binding("ClusterRole", { name: inputs }, { role: inputs, names })] : []),
    role("Role", { name, namespace }, rules("own")),
    binding("Role", { name, namespace }, { role: name, names }),
  ];
}

function operatorRights({ sharded = false }: RbacNames): readonly Right[] {
  return [...OPERATOR_RIGHTS, ...(sharded ? LEASES_OF_MANY : LEASE_OF_ONE)];
}

function ruleOf({ apiGroup, resource, verbs, names }: Right, leases: readonly string[]): Rule {
  const resourceNames = names === "leases" ? leases : names;
  return { apiGroups: [apiGroup], resources: [resource], verbs, ...(resourceNames && { resourceNames }) };
}

type RoleKind = "ClusterRole" | "Role";
type Metadata = KubeObject["metadata"];
const RBAC_GROUP = "rbac.authorization.k8s.io";

function role(kind: RoleKind, metadata: Metadata, rules: readonly Rule[]): KubeObject & { rules: readonly Rule[] } {
  return { apiVersion: `${RBAC_GROUP}/v1`, kind, metadata, rules };
}

function binding(
  kind: RoleKind,
  metadata: Metadata,
  { role: roleName, names }: { readonly role: string; readonly names: RbacNames },
): KubeObject & Readonly<Record<"roleRef" | "subjects", unknown>> {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: RBAC_GROUP, kind, name: roleName },
    subjects: [{ kind: "ServiceAccount", name: names.serviceAccount, namespace: names.namespace }],
  };
}
