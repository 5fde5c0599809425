// Leaves a cluster as it was found. The objects go first, with their operator; what it no longer could let go of is let go here:
// its database ends with the demo, so nothing would ever do it later.
import { kubectl } from "../env/kubectl.ts";
import type { Cluster } from "../env/kubectl.ts";
import { OUR_KINDS } from "./existing-cluster.ts";
import type { FoundCluster } from "./existing-cluster.ts";
import { PROVIDERS, TENANTS } from "./names.ts";
import type { Names } from "./names.ts";

export interface Cleaning extends FoundCluster {
  readonly names: Names;
  readonly say: (text: string) => void;
  readonly stopOperator: () => Promise<void>;
}

const OBJECTS_SECONDS = 20;
const NAMESPACES_SECONDS = 40;

export async function cleanCluster({ cluster, hadCrds, names, say, stopOperator }: Cleaning): Promise<void> {
  say("removing what the demo has made in the cluster");
  const namespaces = TENANTS.map(names.namespace);
  const quietly = (args: readonly string[]): Promise<string> => kubectl(cluster, args).catch(() => "");

  for (const namespace of namespaces) {
    await quietly(["delete", "generationtasks.genop.dev", "--all", "-n", namespace, `--timeout=${OBJECTS_SECONDS}s`]);
  }
  await stopOperator();
  for (const namespace of namespaces) await letGo(cluster, namespace);

  const providers = PROVIDERS.map(names.provider);
  await quietly(["delete", "generationproviders.genop.dev", "--ignore-not-found", ...providers]);
  const { account, namespace: home } = names.operator;
  if (account !== undefined) await removeRights(quietly, account);
  await quietly([
    ...["delete", "namespace", "--ignore-not-found", `--timeout=${NAMESPACES_SECONDS}s`],
    ...[...namespaces, home],
  ]);
  if (!hadCrds) await removeCrds(cluster, quietly);
  const left = await quietly(["get", "namespaces", "--ignore-not-found", "-o", "name", ...namespaces, home]);
  say(
    left.trim() === ""
      ? "the cluster is as it was"
      : `still going away by itself: ${left.trim().split("\n").join(", ")}`,
  );
}

type Kubectl = (args: readonly string[]) => Promise<string>;

async function removeRights(quietly: Kubectl, account: string): Promise<void> {
  for (const kind of ["clusterrolebinding", "clusterrole"]) {
    await quietly(["delete", kind, "--ignore-not-found", account, `${account}-inputs`]);
  }
}

/** Not when somebody has made objects of these kinds meanwhile: they would go with the definition. */
async function removeCrds(cluster: Cluster, quietly: Kubectl): Promise<void> {
  const left = await kubectl(cluster, ["get", OUR_KINDS, "-A", "-o", "name"]).catch(() => "");
  if (left.trim() !== "") return;
  const crds = OUR_KINDS.split(",");
  await quietly(["delete", "crd", "--ignore-not-found", "--timeout=20s", ...crds]);
}

async function letGo(cluster: Cluster, namespace: string): Promise<void> {
  const left = await kubectl(cluster, ["get", "generationtasks.genop.dev", "-n", namespace, "-o", "name"]).catch(
    () => "",
  );
  for (const name of left.trim().split("\n").filter(Boolean)) {
    const patch = '{"metadata":{"finalizers":null}}';
    await kubectl(cluster, ["patch", "-n", namespace, name, "--type=merge", "-p", patch]).catch(() => "");
  }
}
