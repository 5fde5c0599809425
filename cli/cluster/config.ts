// Which cluster, as whom, and in which namespace: found as kubectl finds it. Reads files; talks to nobody.
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { Failure } from "../failure.ts";

export interface ClusterChoice {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
}

export interface ChosenCluster {
  readonly kubeConfig: KubeConfig;
  readonly namespace: string;
}

/** Throws Failure. Nothing of the file is quoted: a parser's message would show the lines around a mistake, and a token with them. */
export function chooseCluster({ context, kubeconfig, namespace }: ClusterChoice, load: Load = find): ChosenCluster {
  const kubeConfig = loaded(kubeconfig, load);
  if (context !== undefined) {
    if (!kubeConfig.getContexts().some(({ name }) => name === context)) {
      throw new Failure(`cannot find the cluster: the kubeconfig has no context "${context}"`);
    }
    kubeConfig.setCurrentContext(context);
  }
  if (!kubeConfig.getCurrentCluster()) {
    throw new Failure("cannot find the cluster: the kubeconfig has no current context; choose one with --context");
  }
  const own = kubeConfig.getContextObject(kubeConfig.getCurrentContext())?.namespace;
  return { kubeConfig, namespace: namespace ?? (own === undefined || own === "" ? "default" : own) };
}

type Load = (into: KubeConfig, path: string | undefined) => void;

const find: Load = (into, path) => (path === undefined ? into.loadFromDefault() : into.loadFromFile(path));

function loaded(path: string | undefined, load: Load): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    load(kubeConfig, path);
  } catch {
    throw new Failure("cannot read the kubeconfig: --kubeconfig or KUBECONFIG must name a readable YAML file");
  }
  return kubeConfig;
}
