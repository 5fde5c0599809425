// How the process finds its API server: a kubeconfig file when one is named, else the pod's own service account.
import { existsSync } from "node:fs";
import { KubeConfig } from "@kubernetes/client-node";

/** Where a pod finds its token. */
const TOKEN_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** `path` is the value of KUBECONFIG, if any. Throws a sentence that says what to set, and quotes nothing of the file. */
export function loadKubeConfig(path: string | undefined, tokenFile: string = TOKEN_FILE): KubeConfig {
  const kubeConfig = new KubeConfig();
  if (path !== undefined && path !== "") {
    try {
      kubeConfig.loadFromFile(path);
    } catch {
      // No cause: the parser's message would show the lines around a mistake, and with them a token.
      throw new Error("cannot read the kubeconfig: KUBECONFIG must name one readable YAML file");
    }
  } else if (existsSync(tokenFile)) {
    kubeConfig.loadFromCluster();
  } else {
    throw new Error("cannot find the API server: set KUBECONFIG, or run in a pod with a service account");
  }
  if (!kubeConfig.getCurrentCluster()) {
    throw new Error("cannot find the API server: the kubeconfig has no current context with a cluster");
  }
  return kubeConfig;
}
