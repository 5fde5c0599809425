// How the process finds its API server: a kubeconfig file when one is named, else the pod's own service account.
import { existsSync } from "node:fs";
import { KubeConfig } from "@kubernetes/client-node";

/** Where a pod finds its token. */
const TOKEN_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** `path` is the value of KUBECONFIG, if any. Throws a sentence that says what to set. */
export function loadKubeConfig(path: string | undefined): KubeConfig {
  const kubeConfig = new KubeConfig();
  if (path !== undefined && path !== "") {
    try {
      kubeConfig.loadFromFile(path);
    } catch (error) {
      throw new Error("cannot read the kubeconfig: KUBECONFIG must name one readable YAML file", { cause: error });
    }
  } else if (existsSync(TOKEN_FILE)) {
    kubeConfig.loadFromCluster();
  } else {
    throw new Error("cannot find the API server: set KUBECONFIG, or run in a pod with a service account");
  }
  if (!kubeConfig.getCurrentCluster()) {
    throw new Error("cannot find the API server: the kubeconfig has no current context with a cluster");
  }
  return kubeConfig;
}
