// The chart, installed by Helm and taken away in the documented order.
import { CHART } from "../chart/helm.ts";
import type { Backend } from "./backend.ts";
import { applyObjects } from "../operator/installation.ts";
import { helm, kubectl } from "./site.ts";
import { STORE_VALUES, storeSecrets } from "./stores.ts";

export const RELEASE = "genop";
export const NAMESPACE = "genop-system";
const NAME = "genop-generation-operator";
const DEFINITIONS = ["generationtasks", "generationproviders", "creditgrants"].map((one) => `crd/${one}.genop.dev`);
const PATIENCE = "--timeout=180s";
/** A selector of labels. */
export const OPERATOR_PODS = "app.kubernetes.io/name=generation-operator,app.kubernetes.io/component=operator";

type Values = Readonly<Record<string, unknown>>;

/** A namespace that takes no pod but such as the Pod Security standard calls restricted. */
export function restrictedNamespace(name: string): object {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

/** Values on the command line, as JSON: keys are paths. */
export const set = (values: Values): readonly string[] =>
  Object.entries(values).flatMap(([path, value]) => ["--set-json", `${path}=${JSON.stringify(value)}`]);

/** Installs the release with the built image, or upgrades it, and waits until its pods are ready. */
export async function upgrade(backend: Backend, values: Values, chart = CHART): Promise<void> {
  const given = { image: backend.images.product, ...values };
  const place = ["--namespace", NAMESPACE, "--wait", PATIENCE];
  await helm(backend, ["upgrade", "--install", RELEASE, chart, ...place, ...set(given)]);
}

/** The release on the stores, in a restricted namespace. */
export async function install(backend: Backend, values: Values = {}, chart = CHART): Promise<void> {
  await applyObjects(backend, [restrictedNamespace(NAMESPACE)]);
  await applyObjects(backend, storeSecrets(NAMESPACE));
  await upgrade(backend, { ...STORE_VALUES, ...values }, chart);
}

/** The pod that leads, by the Lease. */
export async function leadingPod(backend: Backend): Promise<string> {
  const path = "jsonpath={.spec.holderIdentity}";
  const holder = await kubectl(backend, ["--namespace", NAMESPACE, "get", "lease", NAME, "--output", path]);
  return holder.split("_")[0] ?? "";
}

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

/** The operator's pods that are not on their way out. */
async function livingPods(backend: Backend): Promise<readonly Pod[]> {
  const query = ["get", "pods", "--selector", OPERATOR_PODS, "--output", "json"];
  const { items } = JSON.parse(await kubectl(backend, ["--namespace", NAMESPACE, ...query])) as {
    readonly items: readonly Pod[];
  };
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Their names. */
export async function operatorPods(backend: Backend): Promise<readonly string[]> {
  return (await livingPods(backend)).map(({ metadata }) => metadata.name);
}

/** The tags of what they run, each once. */
export async function operatorImages(backend: Backend): Promise<readonly string[]> {
  const images = (await livingPods(backend)).flatMap(({ spec }) => spec.containers.map(({ image }) => image));
  return [...new Set(images.map((image) => image.split(":").at(-1) ?? ""))];
}

export async function untilRolledOut(backend: Backend): Promise<void> {
  await kubectl(backend, ["--namespace", NAMESPACE, "rollout", "status", `deployment/${NAME}`, PATIENCE]);
}

/**
 * Takes the release away in the order of docs/operations/upgrade.md: the tasks while the operator runs, then the release, then the namespaces and
 * the definitions. Throws when something of it hangs.
 */
export async function leave(backend: Backend, tenants: readonly string[]): Promise<void> {
  for (const tenant of tenants) {
    await kubectl(backend, ["--namespace", tenant, "delete", "gt", "--all", PATIENCE]);
  }
  await helm(backend, ["uninstall", RELEASE, "--namespace", NAMESPACE, "--wait", PATIENCE]);
  await kubectl(backend, ["delete", "namespace", NAMESPACE, ...tenants, PATIENCE]);
  await kubectl(backend, ["delete", ...DEFINITIONS, PATIENCE]);
}
