// Accounts that have all the rights of a role of the chart but one verb, each on the real API server, which says what they may.
import type { Transport } from "../../operator/runtime/transport.ts";
import type { Asked } from "./audit.ts";
import type { Rendered } from "./helm.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A Role or ClusterRole, and where it counts: in one namespace, or everywhere. */
export interface Granted {
  readonly role: Rendered;
  readonly namespace: string | undefined;
}

/** One verb of one rule that is withheld. */
export interface Withheld {
  readonly user: string;
  /** Of whom the other roles of the account are. */
  readonly groups: readonly string[];
  readonly rule: Rule;
  readonly verb: string;
  readonly namespace: string | undefined;
}

const RBAC = "rbac.authorization.k8s.io";
const rulesOf = ({ role }: Granted): readonly Rule[] => role.rules as readonly Rule[];

/** Every verb of every rule once, and the objects by which its user has all but that. */
export function withholding(
  granted: readonly Granted[],
  prefix: string,
): { readonly objects: readonly object[]; readonly withheld: readonly Withheld[] } {
  const groupOf = (index: number): string => `${prefix}-all-of-${index}`;
  const whole = granted.map((grant, index) => bindingOf(groupOf(index), "Group", grant, grant.role.metadata.name));
  const cases = granted.flatMap((grant, index) => {
    const groups = granted.flatMap((_, other) => (other === index ? [] : [groupOf(other)]));
    return rulesOf(grant).flatMap((rule, place) =>
      rule.verbs.map((verb) => {
        const user = `${prefix}-${index}-${place}-${verb}`;
        const rules = rulesOf(grant).map((one) =>
          one === rule ? { ...one, verbs: one.verbs.filter((word) => word !== verb) } : one,
        );
        const metadata = { ...metadataOf(grant), name: user };
        const role = {
          apiVersion: `${RBAC}/v1`,
          kind: grant.role.kind,
          metadata,
          rules: rules.filter(({ verbs }) => verbs.length > 0),
        };
        return {
          objects: [role, bindingOf(user, "User", grant, user)],
          withheld: { user, groups, rule, verb, namespace: grant.namespace },
        };
      }),
    );
  });
  return {
    objects: [...whole, ...cases.flatMap(({ objects }) => objects)],
    withheld: cases.map(({ withheld }) => withheld),
  };
}

const metadataOf = ({ namespace, role }: Granted): object => (role.kind === "Role" ? { namespace } : {});

function bindingOf(name: string, kind: "Group" | "User", { namespace, role }: Granted, roleName: string): object {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup: RBAC, kind: role.kind, name: roleName },
    subjects: [{ apiGroup: RBAC, kind, name }],
  };
}

/** Whether this was asked for by what is withheld. */
export function isBy({ namespace, rule, verb }: Withheld, asked: Asked): boolean {
  return (
    verb === asked.verb &&
    rule.apiGroups.includes(asked.group) &&
    rule.resources.includes(asked.resource) &&
    (rule.resourceNames?.includes(asked.name) ?? true) &&
    (namespace === undefined || namespace === asked.namespace)
  );
}

/** Whether it was asked for by another verb or rule of the role that the user has not wholly. */
export function isOfSameRole(one: Withheld, use: Asked, all: readonly Withheld[]): boolean {
  return all.some((other) => other !== one && other.groups.join() === one.groups.join() && isBy(other, use));
}

/** What the API server answers: may the user, in these groups, do what was asked for? */
export async function mayStill(
  transport: Transport,
  { groups, user }: Pick<Withheld, "groups" | "user">,
  asked: Asked,
): Promise<boolean> {
  const [resource, subresource] = asked.resource.split("/");
  const { group, name, namespace, verb } = asked;
  const resourceAttributes = {
    group,
    resource,
    name,
    namespace,
    verb,
    ...(subresource !== undefined && { subresource }),
  };
  const answer = await transport.request(
    {
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      body: { spec: { user, groups, resourceAttributes } },
    },
    { signal: AbortSignal.timeout(25_000) },
  );
  return (answer as { readonly status: { readonly allowed: boolean } }).status.allowed;
}
