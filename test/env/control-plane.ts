// Etcd, kube-apiserver and kube-controller-manager: real RBAC, real service account tokens, no nodes.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeKubeconfig, type ApiAccess } from "./access.ts";
import type { Binaries, BinaryName } from "./binary-search.ts";
import type { PartPlan } from "./part.ts";
import type { Start } from "./start.ts";

export interface ControlPlane {
  readonly kubeconfigPath: string;
  readonly apiServerUrl: string;
  readonly kubectlPath: string;
  readonly caFile: string;
  readonly adminToken: string;
}

export interface Files {
  readonly certificates: string;
  readonly serviceAccountKey: string;
  readonly tokens: string;
  readonly adminToken: string;
  readonly managerToken: string;
}

/** The controllers that mean something without nodes. */
const CONTROLLERS = [
  "serviceaccount-controller",
  "serviceaccount-token-controller",
  "root-ca-certificate-publisher-controller",
  "clusterrole-aggregation-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "resourcequota-controller",
  "disruption-controller",
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "job-controller",
  "cronjob-controller",
  "ttl-after-finished-controller",
  "validatingadmissionpolicy-status-controller",
];

/** What the API server knows its callers by; `others` are more lines for its file of tokens. */
export function writeFiles(folder: string, others: readonly string[] = []): Files {
  const files = {
    certificates: join(folder, "certificates"),
    serviceAccountKey: join(folder, "service-account.key"),
    tokens: join(folder, "tokens.csv"),
    adminToken: randomBytes(24).toString("hex"),
    managerToken: randomBytes(24).toString("hex"),
  };
  mkdirSync(files.certificates, { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(files.serviceAccountKey, privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
  const users = [
    `${files.adminToken},admin,admin,"system:masters"`,
    `${files.managerToken},system:kube-controller-manager,system:kube-controller-manager`,
    ...others,
  ];
  writeFileSync(files.tokens, `${users.join("\n")}\n`, { mode: 0o600 });
  return files;
}

function plan(start: Start, name: PartPlan["name"], command: PartPlan["command"], ready: PartPlan["ready"]): PartPlan {
  return { name, command, ready, logFile: start.logFile(name), stopSignal: "SIGTERM", quitSignal: "SIGKILL" };
}

function etcd(start: Start, program: string, port: number): PartPlan {
  const url = `http://127.0.0.1:${port}`;
  const args = [
    `--data-dir=${join(start.folder, "etcd")}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    "--listen-peer-urls=http://127.0.0.1:0", // a single member never listens to peers
    "--unsafe-no-fsync", // tests kill processes, not machines
    "--quota-backend-bytes=8589934592",
    "--log-level=warn",
  ];
  return plan(start, "etcd", [program, ...args], { type: "http", url: `${url}/health` });
}

export interface ControlPlaneOptions {
  /** More words for kube-apiserver. */
  readonly serverArgs?: readonly string[];
}

interface Addresses extends ControlPlaneOptions {
  readonly etcdPort: number;
  readonly files: Files;
}

/** Self-signed by the API server at its first start. */
export const caOf = (files: Files): string => join(files.certificates, "apiserver.crt");

function apiServer(start: Start, program: string, port: number, addresses: Addresses): PartPlan {
  const { etcdPort, files, serverArgs = [] } = addresses;
  const args = [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    "--endpoint-reconciler-type=none", // a loopback address may not be an endpoint
    `--cert-dir=${files.certificates}`,
    `--token-auth-file=${files.tokens}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    "--shutdown-watch-termination-grace-period=1s", // without it, open watches keep it for a minute
    "--profiling=false",
    ...serverArgs,
  ];
  const ready = { type: "http", url: `https://127.0.0.1:${port}/readyz`, caFile: caOf(files) } as const;
  return plan(start, "kube-apiserver", [program, ...args], ready);
}

interface Manager {
  readonly program: string;
  readonly access: ApiAccess;
  readonly files: Files;
}

function controllerManager(start: Start, port: number, { program, access, files }: Manager): PartPlan {
  const args = [
    `--kubeconfig=${join(start.folder, "kubeconfigs", "controller-manager.yaml")}`,
    `--secure-port=${port}`,
    "--bind-address=127.0.0.1",
    `--tls-cert-file=${caOf(files)}`,
    `--tls-private-key-file=${join(files.certificates, "apiserver.key")}`,
    `--root-ca-file=${caOf(files)}`,
    `--service-account-private-key-file=${files.serviceAccountKey}`,
    "--use-service-account-credentials",
    "--leader-elect=false",
    `--controllers=${CONTROLLERS.join(",")}`,
  ];
  // It is healthy before its controllers work: wait for the first thing that one of them makes.
  const made = `${access.apiServerUrl}/api/v1/namespaces/default/serviceaccounts/default`;
  const probes = [
    { type: "http", url: `https://127.0.0.1:${port}/healthz`, caFile: caOf(files) },
    { type: "http", url: made, caFile: caOf(files), token: access.token },
  ] as const;
  return plan(start, "kube-controller-manager", [program, ...args], { type: "all", probes });
}

/** The path of a program that must have been found. */
export function required(binaries: Binaries, name: BinaryName): string {
  const path = binaries[name];
  if (path === undefined) throw new Error(`cannot start ${name}: its program was not found`);
  return path;
}

const WITHOUT_MANAGER =
  "kube-controller-manager is not there: objects are not collected with their owner, namespaces are not removed, " +
  "and new namespaces have no default service account; tests that need these fail";

/** Starts the three programs, one after the other as each needs the one before. */
export async function startControlPlane(
  start: Start,
  binaries: Binaries,
  { serverArgs, withManager }: ControlPlaneOptions & { readonly withManager: boolean },
): Promise<ControlPlane> {
  const files = writeFiles(start.folder);
  const [etcdPort] = await start.part(([port]) => etcd(start, required(binaries, "etcd"), port));
  const server = required(binaries, "kube-apiserver");
  const [port] = await start.part(([candidate]) =>
    apiServer(start, server, candidate, { etcdPort, files, ...(serverArgs && { serverArgs }) }),
  );
  const apiServerUrl = `https://127.0.0.1:${port}`;
  const kubeconfigPath = join(start.folder, "kubeconfigs", "admin.yaml");
  const access = { apiServerUrl, caFile: caOf(files), token: files.adminToken };
  writeKubeconfig(kubeconfigPath, access, "admin");
  const manager = binaries["kube-controller-manager"];
  if (withManager && manager === undefined) start.say(WITHOUT_MANAGER);
  if (withManager && manager !== undefined) {
    const managerConfig = join(start.folder, "kubeconfigs", "controller-manager.yaml");
    writeKubeconfig(managerConfig, { ...access, token: files.managerToken }, "controller-manager");
    await start.part(([candidate]) => controllerManager(start, candidate, { program: manager, access, files }));
  }
  const { caFile, token: adminToken } = access;
  return { kubeconfigPath, apiServerUrl, caFile, adminToken, kubectlPath: required(binaries, "kubectl") };
}
