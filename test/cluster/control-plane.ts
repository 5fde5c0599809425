// Etcd, API server, controller manager and scheduler of a cluster with pods. They live in the machine's network, and the API server is
// reached from ours through a door.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { writeKubeconfig } from "../env/access.ts";
import type { Binaries } from "../env/binary-search.ts";
import { caOf, required, writeFiles } from "../env/control-plane.ts";
import type { PartPlan } from "../env/part.ts";
import type { Start } from "../env/start.ts";
import type { Machine } from "./machine.ts";
import type { NodePrograms } from "./programs.ts";

export const NODE = "node";
/** Of the bridge that the pods hang on; see machine.sh. */
export const NODE_ADDRESS = "10.244.0.1";
const API_PORT = 6443;
const ETCD = "http://127.0.0.1:2379";
const FORWARD = join(import.meta.dirname, "forward.ts");
const NOTHING = { type: "all", probes: [] } as const;

export interface ControlPlane {
  /** The administrator's, from outside of the machine. */
  readonly kubeconfigPath: string;
  /** Of a part inside of the machine. */
  kubeconfigOf(part: Account): string;
}

type Account = "kubelet" | "kube-proxy" | "kube-scheduler" | "kube-controller-manager";

/** Who asks, as the API server's file of tokens has it: name, id, groups. */
const USERS = {
  kubelet: `system:node:${NODE},kubelet,system:nodes`,
  "kube-proxy": "system:kube-proxy,kube-proxy",
  "kube-scheduler": "system:kube-scheduler,kube-scheduler",
} as const;

/** Starts them, and makes a kubeconfig for everybody. */
export async function startControlPlane(
  start: Start,
  machine: Machine,
  { binaries, programs }: { readonly binaries: Binaries; readonly programs: NodePrograms },
): Promise<ControlPlane> {
  const { folder } = machine;
  const tokens = new Map(Object.keys(USERS).map((user) => [user, randomBytes(24).toString("hex")]));
  const lines = Object.entries(USERS).map(([user, identity]) => `${tokens.get(user) ?? ""},${identity}`);
  const files = writeFiles(folder, lines);
  tokens.set("kube-controller-manager", files.managerToken);
  const kubeconfigOf = (part: Account): string => join(folder, "kubeconfigs", `${part}.yaml`);

  await machine.part("etcd", [required(binaries, "etcd"), ...etcdOptions()], NOTHING);
  await machine.part("door-inside", door(join(folder, "api.sock"), `${NODE_ADDRESS}:${API_PORT}`), NOTHING);
  const url = await openDoor(start, folder);
  const server = required(binaries, "kube-apiserver");
  const ready = { type: "http", url: `${url}/readyz`, caFile: caOf(files) } as const;
  await machine.part("kube-apiserver", [server, ...serverOptions(files)], ready);

  const access = { caFile: caOf(files), apiServerUrl: `https://${NODE_ADDRESS}:${API_PORT}` };
  for (const [user, token] of tokens) writeKubeconfig(kubeconfigOf(user as Account), { ...access, token }, user);
  const kubeconfigPath = join(folder, "kubeconfigs", "admin.yaml");
  writeKubeconfig(kubeconfigPath, { ...access, apiServerUrl: url, token: files.adminToken }, "admin");
  const manager = required(binaries, "kube-controller-manager");
  await machine.part(
    "kube-controller-manager",
    [manager, ...managerOptions(files, kubeconfigOf("kube-controller-manager"))],
    NOTHING,
  );
  const scheduler = [
    `--kubeconfig=${kubeconfigOf("kube-scheduler")}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
  ];
  await machine.part("kube-scheduler", [programs["kube-scheduler"], ...scheduler], NOTHING);
  return { kubeconfigPath, kubeconfigOf };
}

const door = (from: string, to: string): readonly [string, ...string[]] => [
  process.execPath,
  "--disable-warning=ExperimentalWarning",
  FORWARD,
  from,
  to,
];

/** The API server's URL from outside. */
async function openDoor(start: Start, folder: string): Promise<string> {
  const [port] = await start.part(([candidate]): PartPlan => ({
    name: "door-outside",
    command: door(`127.0.0.1:${candidate}`, join(folder, "api.sock")),
    logFile: start.logFile("door-outside"),
    stopSignal: "SIGTERM",
    quitSignal: "SIGKILL",
    ready: { type: "tcp", ports: [candidate] },
  }));
  return `https://localhost:${port}`; // the certificate has this name, but not the address
}

const etcdOptions = (): readonly string[] => [
  "--data-dir=/var/lib/etcd",
  `--listen-client-urls=${ETCD}`,
  `--advertise-client-urls=${ETCD}`,
  "--listen-peer-urls=http://127.0.0.1:0",
  "--unsafe-no-fsync",
  "--log-level=warn",
];

const serverOptions = (files: ReturnType<typeof writeFiles>): readonly string[] => [
  `--etcd-servers=${ETCD}`,
  `--secure-port=${API_PORT}`,
  "--bind-address=0.0.0.0",
  `--advertise-address=${NODE_ADDRESS}`,
  `--cert-dir=${files.certificates}`,
  `--token-auth-file=${files.tokens}`,
  "--authorization-mode=Node,RBAC",
  "--enable-admission-plugins=NodeRestriction",
  "--service-account-issuer=https://kubernetes.default.svc",
  `--service-account-key-file=${files.serviceAccountKey}`,
  `--service-account-signing-key-file=${files.serviceAccountKey}`,
  "--service-cluster-ip-range=10.96.0.0/16",
  "--kubelet-preferred-address-types=InternalIP",
  "--allow-privileged",
  "--profiling=false",
];

const managerOptions = (files: ReturnType<typeof writeFiles>, kubeconfig: string): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  "--bind-address=127.0.0.1",
  `--root-ca-file=${caOf(files)}`,
  `--service-account-private-key-file=${files.serviceAccountKey}`,
  "--use-service-account-credentials",
  "--leader-elect=false",
];
