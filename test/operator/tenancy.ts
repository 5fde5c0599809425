// What a platform team sets up for its tenants: providers on the simulator, a quota, namespaces, credits.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { AttachedEnvironment } from "../env/attach.ts";
import { NAMESPACE } from "./installation.ts";

interface ProviderObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface ProviderVariant {
  readonly name: string;
  /** Merged over the sample's spec, key by key. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** GenerationProviders of the simulator, from the checked-in sample, with the credential that it takes in the operator's namespace. */
export async function providerObjects(
  environment: Pick<AttachedEnvironment, "provider">,
  variants: readonly ProviderVariant[],
  namespace = NAMESPACE,
): Promise<readonly object[]> {
  const sample = join(import.meta.dirname, "..", "..", "crds", "samples", "provider-simulated.yaml");
  const { apiVersion, kind, spec } = parse(await readFile(sample, "utf8")) as ProviderObject;
  const { baseUrl, token } = environment.provider;
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "simulated", namespace },
    stringData: { token },
  };
  const baseURL = baseUrl.endsWith("/v1") ? baseUrl : `${baseUrl}/v1`;
  const providers = variants.map((variant) => ({
    apiVersion,
    kind,
    metadata: { name: variant.name },
    spec: { ...spec, baseURL, ...variant.spec },
  }));
  return [secret, ...providers];
}

export function quotaObject(entries: Readonly<Record<string, string>>, namespace = NAMESPACE): object {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "genop-quota", namespace },
    data: entries,
  };
}

export function namespaceObject(name: string): object {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

export function grantObject(namespace: string, name: string, credits: string): object {
  return {
    apiVersion: "genop.dev/v1alpha1",
    kind: "CreditGrant",
    metadata: { namespace, name },
    spec: { credits, reason: name },
  };
}

/** Of resources of our API group. */
interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** As the guide gives them to an app. */
const APP: readonly Rule[] = [
  { resources: ["generationtasks"], verbs: ["create", "delete", "get", "list", "patch", "watch"] },
  { resources: ["creditgrants"], verbs: ["list"] },
];

/** A service account of the namespace with these rights there, and none elsewhere. */
export function accountObjects(namespace: string, name: string, rules = APP): readonly object[] {
  const metadata = { namespace, name };
  const rbac = "rbac.authorization.k8s.io";
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: "Role", metadata },
      rules: rules.map((rule) => ({ apiGroups: ["genop.dev"], ...rule })),
    },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata },
      roleRef: { apiGroup: rbac, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
  ];
}

export interface Wish {
  readonly namespace: string;
  readonly name: string;
  readonly model: string;
  readonly provider?: string;
  readonly simulate?: Readonly<Record<string, unknown>>;
  /** Merged into spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A task whose input carries its own name, by which the provider's record tells tasks apart. */
export function taskObject({ model, name, namespace, provider = "simulated", simulate, spec }: Wish): object {
  const reference = `${namespace}/${name}`;
  return {
    apiVersion: "genop.dev/v1alpha1",
    kind: "GenerationTask",
    metadata: { namespace, name },
    spec: {
      providerRef: { name: provider },
      model,
      input: { prompt: "a quiet harbour at sunrise", reference, ...(simulate && { simulate }) },
      ...spec,
    },
  };
}
