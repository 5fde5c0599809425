// A cluster that was there before: whether the demo may play in it, and access to it.
import { existsSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AttachedEnvironment } from "../env/attach.ts";
import type { ServiceAccountAccess } from "../env/access.ts";
import { ensureBinaries } from "../env/binaries.ts";
import { kubectl } from "../env/kubectl.ts";
import type { Cluster } from "../env/kubectl.ts";

export interface FoundCluster {
  readonly cluster: Cluster;
  readonly server: string;
  readonly hadCrds: boolean;
  /** Whether the kubeconfig's user may give the operator a service account with its own rights. */
  readonly mayMakeAccount: boolean;
}

export const OUR_KINDS = "generationtasks.genop.dev,generationproviders.genop.dev,creditgrants.genop.dev";

/** Reads only. Throws one sentence when the cluster can't be reached or is in use by an installation of the product. */
export async function inspectCluster(kubeconfigPath: string, say: (line: string) => void): Promise<FoundCluster> {
  const binaries = await ensureBinaries(process.env, { controlPlane: true, objectStore: true }, say);
  if (binaries.kubectl === undefined) throw new Error("cannot use --kubeconfig: kubectl was not found");
  const cluster = { kubeconfigPath, kubectlPath: binaries.kubectl };
  if (!existsSync(kubeconfigPath)) throw new Error(`cannot use --kubeconfig: there is no file ${kubeconfigPath}`);
  const view = ["config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}"];
  const server = await kubectl(cluster, view).catch(refuse("use --kubeconfig"));
  await kubectl(cluster, ["get", "--raw", "/version", "--request-timeout=10s"]).catch(refuse("reach the cluster"));
  const crds = await kubectl(cluster, ["get", "crd", "-o", "name"]);
  const hadCrds = crds.includes("generationtasks.genop.dev");
  if (hadCrds) await refuseForeignObjects(cluster);
  return { cluster, server, hadCrds, mayMakeAccount: await mayMakeAccount(cluster) };
}

/** With the last line of what kubectl said, which is the one that says why. */
function refuse(what: string): (error: unknown) => never {
  return (error) => {
    const why =
      error instanceof Error
        ? error.message
            .split("\n")
            .at(-1)
            ?.replace(/^.*error: /, "")
        : undefined;
    throw new Error(`cannot ${what}: ${why ?? "kubectl failed"}`, { cause: error });
  };
}

/** The demo's operator would take them for its own, and its database knows nothing of them. */
async function refuseForeignObjects(cluster: Cluster): Promise<void> {
  const objects = await kubectl(cluster, ["get", OUR_KINDS, "-A", "-o", "name"]);
  if (objects.trim() === "") return;
  const count = objects.trim().split("\n").length;
  throw new Error(
    `cannot play in this cluster: it has ${count} objects of genop.dev, which the demo's operator would take for its own; name another cluster`,
  );
}

async function mayMakeAccount(cluster: Cluster): Promise<boolean> {
  const questions = [
    ["create", "serviceaccounts", "--subresource=token", "-A"],
    ["create", "clusterroles.rbac.authorization.k8s.io"],
    ["escalate", "clusterroles.rbac.authorization.k8s.io"],
  ];
  const answers = await Promise.all(
    questions.map((question) =>
      kubectl(cluster, ["auth", "can-i", ...question]).then(
        (answer) => answer.trim() === "yes",
        () => false, // "no" is an exit code
      ),
    ),
  );
  return answers.every(Boolean);
}

interface Plan {
  readonly home: string;
  readonly tenants: readonly string[];
}

/** Says what is going to be made, before it is. */
export function announce(
  { hadCrds, mayMakeAccount: may, server }: FoundCluster,
  plan: Plan,
  say: (line: string) => void,
): void {
  say(`in the cluster at ${server} the demo is going to make, and to remove at its end:`);
  say(`  the CRDs of genop.dev${hadCrds ? " (they are there: brought to this version, and left)" : ""}`);
  say(`  the namespaces ${[plan.home, ...plan.tenants].join(", ")}, with tasks, grants and a Secret in them`);
  say("  two GenerationProviders, which lead to this machine's loopback address");
  say(
    may
      ? `  the service account ${plan.home}/${plan.home}, two ClusterRoles and a Role, and their bindings`
      : "  no service account: the kubeconfig may not make one, so the operator uses the kubeconfig's own rights",
  );
  say("the operator, Postgres, S3 and the provider run on this machine, not in the cluster");
}

/** The environment, with the cluster in place of the control plane that it was started without. */
export function withCluster(environment: AttachedEnvironment, cluster: Cluster): AttachedEnvironment {
  const tokenFor = (account: string): Promise<ServiceAccountAccess> => accessFor(cluster, environment.folder, account);
  return Object.create(environment, {
    kubeconfigPath: { value: cluster.kubeconfigPath },
    kubectlPath: { value: cluster.kubectlPath },
    tokenFor: { value: tokenFor },
  }) as AttachedEnvironment;
}

/** The kubeconfig's own way to the server, with the account's token instead of its user. */
async function accessFor(cluster: Cluster, folder: string, account: string): Promise<ServiceAccountAccess> {
  const [namespace = "", name = ""] = account.split("/");
  const view = ["config", "view", "--raw", "--minify", "--flatten", "-o", "json"];
  const [token, config] = await Promise.all([
    kubectl(cluster, ["-n", namespace, "create", "token", name, "--duration=24h"]),
    kubectl(cluster, view),
  ]);
  const { clusters } = JSON.parse(config) as { readonly clusters: readonly { readonly name: string }[] };
  const kubeconfigPath = join(folder, "kubeconfigs", `${namespace}.${name}.json`);
  const context = { cluster: clusters[0]?.name, user: account };
  mkdirSync(dirname(kubeconfigPath), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters,
    users: [{ name: account, user: { token: token.trim() } }],
    contexts: [{ name: "demo", context }],
    "current-context": "demo",
  });
  writeFileSync(kubeconfigPath, text, { mode: 0o600 });
  return { token: token.trim(), kubeconfigPath };
}
