// A cluster of one node with real pods, on a bare machine as root: everything it does to the machine is gone when its owner stops it, ends,
// or is killed.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ensureBinaries } from "../env/binaries.ts";
import { required } from "../env/control-plane.ts";
import { startGuardian } from "../env/guardian-client.ts";
import { kubectl } from "../env/kubectl.ts";
import { makeStart, type Timing } from "../env/start.ts";
import { NODE, startControlPlane } from "./control-plane.ts";
import { ensureSystemImages } from "./images.ts";
import { removeControlGroup, removeOldControlGroups, startMachine } from "./machine.ts";
import { bringImages, startNode, startRuntime } from "./node.ts";
import { ensureNodePrograms } from "./programs.ts";

export interface Cluster {
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  /** With `logs/` of every part in it. */
  readonly folder: string;
  readonly timings: readonly Timing[];
  /** Ends every process and removes the folder. */
  readonly stop: () => Promise<void>;
}

type Say = (line: string) => void;
const LIMIT = "--timeout=60s";
const LIMIT_MS = 130_000;
const DNS = readFileSync(join(import.meta.dirname, "dns.yaml"), "utf8");

/**
 * Starts a cluster that has these archives of images, and resolves when it can run pods. Throws one sentence when something is missing,
 * or with a part's last words; nothing is left behind then.
 */
export async function startCluster(archives: readonly string[], say: Say, signal: AbortSignal): Promise<Cluster> {
  const binaries = await ensureBinaries(process.env, { controlPlane: true, objectStore: false }, say);
  const programs = await ensureNodePrograms(say);
  const system = await ensureSystemImages(programs, say);
  const guardian = await startGuardian();
  const { folder } = guardian;
  removeOldControlGroups("generation-operator-", (name) => !existsSync(join(dirname(folder), name)));
  const { start, started } = makeStart({ guardian, signal, say });
  const stop = async (): Promise<void> => {
    await guardian.end();
    removeControlGroup(basename(folder));
  };
  try {
    const machine = await startMachine(start, guardian);
    const [plane] = await Promise.all([
      startControlPlane(start, machine, { binaries, programs }),
      startRuntime(machine).then(async () => {
        for (const archive of [...system, ...archives]) await bringImages(machine, archive);
      }),
    ]);
    await startNode(machine, plane, programs);
    const access = { kubeconfigPath: plane.kubeconfigPath, kubectlPath: required(binaries, "kubectl") };
    await untilPodsRun(access, signal);
    return { ...access, folder, timings: started.timings, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Access = Pick<Cluster, "kubeconfigPath" | "kubectlPath">;

async function untilPodsRun(access: Access, signal: AbortSignal): Promise<void> {
  const patiently = (...args: readonly string[]): Promise<string> =>
    kubectl(access, [...args, LIMIT], { limitMs: LIMIT_MS });
  await patiently("wait", "--for=create", `node/${NODE}`);
  await patiently("wait", "--for=condition=Ready", `node/${NODE}`);
  signal.throwIfAborted();
  await kubectl(access, ["apply", "--server-side", "-f", "-"], { input: DNS });
  try {
    await patiently("--namespace=kube-system", "rollout", "status", "deployment/coredns");
  } catch (error) {
    const events = await kubectl(access, ["get", "events", "--all-namespaces"]);
    throw new Error(`cannot run a pod; what the cluster says of it:\n${events}`, { cause: error });
  }
}
