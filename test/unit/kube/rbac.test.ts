import { describe, expect, test } from "@jest/globals";
import {
  LEASE_OF_ONE,
  LEASES_OF_MANY,
  OPERATOR_RIGHTS,
  renderRbac,
  type RbacNames,
} from "../../../operator/kube/rbac.ts";

const names: RbacNames = {
  name: "genop",
  namespace: "genop-system",
  serviceAccount: "operator",
  leases: ["genop-0"],
  inputSecrets: "everywhere",
};
const titles = (over: Partial<RbacNames> = {}): readonly string[] =>
  renderRbac({ ...names, ...over }).map(({ kind, metadata }) => `${kind}/${metadata.name}`);

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}
const rulesOf = (title: string, over: Partial<RbacNames> = {}): readonly Rule[] => {
  const found = renderRbac({ ...names, ...over }).find(({ kind, metadata }) => `${kind}/${metadata.name}` === title);
  return (found as unknown as { readonly rules: readonly Rule[] }).rules;
};

describe("the operator's rights", () => {
  test("every right has a reason, and none is a wildcard", () => {
    for (const { apiGroup, resource, verbs, reason } of [...OPERATOR_RIGHTS, ...LEASE_OF_ONE, ...LEASES_OF_MANY]) {
      expect(reason.length).toBeGreaterThan(10);
      expect([apiGroup, resource, ...verbs].join()).not.toContain("*");
    }
  });

  test("Secrets can be read by name, and neither listed, watched nor written, anywhere", () => {
    const secrets = OPERATOR_RIGHTS.filter(({ resource }) => resource === "secrets");
    expect(secrets.map(({ scope, verbs }) => [scope, verbs])).toEqual([
      ["tenant", ["get"]],
      ["own", ["get"]],
    ]);
  });

  test("specs are never written: what a user wishes for is the user's", () => {
    const writes = OPERATOR_RIGHTS.filter(
      ({ apiGroup, verbs }) => apiGroup === "genop.dev" && verbs.some((verb) => ["create", "update"].includes(verb)),
    );
    expect(writes).toEqual([]);
  });
});

describe("the objects made from them", () => {
  test("a role and a binding per scope; Secrets of tenants are a role of their own", () => {
    expect(titles()).toEqual([
      "ClusterRole/genop",
      "ClusterRoleBinding/genop",
      "ClusterRole/genop-inputs",
      "ClusterRoleBinding/genop-inputs",
      "Role/genop",
      "RoleBinding/genop",
    ]);
  });

  test("where somebody binds the inputs by hand, nothing binds them everywhere", () => {
    expect(titles({ inputSecrets: "bound" })).not.toContain("ClusterRoleBinding/genop-inputs");
  });

  test("the role in the operator's namespace names the Leases and the ConfigMap", () => {
    const named = rulesOf("Role/genop").map(({ resources, verbs, resourceNames }) => [
      resources[0],
      verbs.join(),
      resourceNames,
    ]);
    expect(named).toEqual([
      ["secrets", "get", undefined],
      ["configmaps", "list,watch", ["genop-quota"]],
      ["leases", "create", undefined],
      ["leases", "get,list,watch,update", ["genop-0"]],
    ]);
  });

  test("replicas that share the work out may do with Leases of any name what one may do with its own, and take them away", () => {
    const leases = rulesOf("Role/genop", { sharded: true }).filter(({ resources }) => resources[0] === "leases");
    expect(leases.map(({ resourceNames, verbs }) => [verbs.join(), resourceNames])).toEqual([
      ["create", undefined],
      ["get,list,watch,update,delete", undefined],
    ]);
  });

  test("bindings name the service account and the role of their kind", () => {
    const bindings = renderRbac(names).filter(({ kind }) => kind?.endsWith("Binding"));
    for (const binding of bindings) {
      expect(binding).toMatchObject({
        roleRef: { kind: binding.kind?.replace("Binding", "") },
        subjects: [{ kind: "ServiceAccount", name: "operator", namespace: "genop-system" }],
      });
    }
  });
});
