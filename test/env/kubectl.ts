// Runs kubectl as the administrator of an environment, or as somebody else.
import { execFile } from "node:child_process";
import type { AttachedEnvironment } from "./attach.ts";

export interface KubectlOptions {
  /** Standard input, for `-f -`. */
  readonly input?: string;
  /** Instead of the administrator's. */
  readonly kubeconfigPath?: string;
  /** A minute unless told. */
  readonly limitMs?: number;
}

const LIMIT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What is needed of an environment. */
export type Cluster = Pick<AttachedEnvironment, "kubeconfigPath" | "kubectlPath">;

/** The standard output of kubectl. Throws with its standard error when it fails, or when its time is over. */
export function kubectl(environment: Cluster, args: readonly string[], options: KubectlOptions = {}): Promise<string> {
  const kubeconfig = options.kubeconfigPath ?? environment.kubeconfigPath;
  return new Promise((resolve, reject) => {
    const child = execFile(
      environment.kubectlPath,
      ["--kubeconfig", kubeconfig, ...args],
      { timeout: options.limitMs ?? LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`kubectl ${args.join(" ")}: ${stderr.trim() || error.message}`, { cause: error }));
        else resolve(stdout);
      },
    );
    child.stdin?.on("error", () => undefined); // it ended before it had read everything: its status says why
    child.stdin?.end(options.input ?? "");
  });
}
