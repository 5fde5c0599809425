// Containerd, kubelet and kube-proxy: what makes the machine a node. The settings that are not obvious say why.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CNI_PLUGINS } from "./capable.ts";
import { NODE, NODE_ADDRESS, type ControlPlane } from "./control-plane.ts";
import type { Machine } from "./machine.ts";
import type { NodePrograms } from "./programs.ts";

export const CLUSTER_DNS = "10.96.0.10";
export const PAUSE_IMAGE = "localhost/pause:1";
const POD_RANGE = "10.244.0.0/24";
const SOCKET = "/run/containerd/containerd.sock";
const NOTHING = { type: "all", probes: [] } as const;

/** JSON is YAML, and TOML is near enough to be written by hand. */
function write(folder: string, name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`);
  return path;
}

/** No masquerading: pods reach each other and the API server, and nothing beyond. */
const network = {
  cniVersion: "1.0.0",
  name: "pods",
  plugins: [
    {
      type: "bridge",
      bridge: "pods",
      isGateway: true,
      hairpinMode: true,
      ipam: { type: "host-local", ranges: [[{ subnet: POD_RANGE }]], routes: [{ dst: "0.0.0.0/0" }] },
    },
  ],
};

const runtimeConfig = (networks: string): string => `version = 2
oom_score = 0
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  # A machine without CAP_SYS_RESOURCE may not lower what its parent has.
  restrict_oom_score_adj = true
  disable_apparmor = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${CNI_PLUGINS}"
    conf_dir = "${networks}"
[plugins."io.containerd.internal.v1.opt"]
  path = "/var/lib/containerd/opt"
`;

/** Starts containerd; images may then be brought. */
export async function startRuntime(machine: Machine): Promise<void> {
  const networks = join(machine.folder, "networks");
  await machine.run("networks", ["mkdir", "-p", networks]);
  write(networks, "pods.conflist", network);
  const config = write(machine.folder, "containerd.toml", runtimeConfig(networks));
  const ready = { type: "program", command: machine.inside(["ctr", "version"]) } as const;
  await machine.part("containerd", ["containerd", "--config", config], ready);
}

/** Brings an archive of images to the node. */
export async function bringImages(machine: Machine, archive: string): Promise<void> {
  await machine.run("ctr", ["ctr", "--namespace", "k8s.io", "images", "import", archive]);
}

const kubeletConfig = (machine: Machine, resolver: string): object => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  failCgroupV1: false,
  cgroupDriver: "cgroupfs",
  cgroupRoot: `/${machine.controlGroup}`,
  failSwapOn: false,
  oomScoreAdj: 0, // less needs CAP_SYS_RESOURCE
  address: NODE_ADDRESS,
  containerRuntimeEndpoint: `unix://${SOCKET}`,
  // Nobody but the pods of one test run can reach it.
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: "AlwaysAllow" },
  clusterDomain: "cluster.local",
  clusterDNS: [CLUSTER_DNS],
  resolvConf: resolver,
  makeIPTablesUtilChains: false,
  // The disk is that of whoever runs this: how full it is says nothing about the pods.
  evictionHard: {
    "memory.available": "100Mi",
    "nodefs.available": "1%",
    "nodefs.inodesFree": "1%",
    "imagefs.available": "1%",
  },
  imageMinimumGCAge: "24h",
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
});

const proxyConfig = (kubeconfig: string): object => ({
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  mode: "nftables",
  clientConnection: { kubeconfig },
  hostnameOverride: NODE,
  clusterCIDR: POD_RANGE,
  oomScoreAdj: 0,
  conntrack: { maxPerCore: 0, min: 0 }, // 0: left as it is
});

/** Starts what watches the API server for pods and Services. */
export async function startNode(machine: Machine, plane: ControlPlane, programs: NodePrograms): Promise<void> {
  const { folder } = machine;
  const resolver = write(folder, "resolv.conf", "");
  const kubelet = write(folder, "kubelet.yaml", kubeletConfig(machine, resolver));
  const address = [`--hostname-override=${NODE}`, `--node-ip=${NODE_ADDRESS}`];
  const options = [`--config=${kubelet}`, `--kubeconfig=${plane.kubeconfigOf("kubelet")}`, ...address];
  await machine.part("kubelet", [programs.kubelet, ...options], NOTHING);
  const proxy = write(folder, "kube-proxy.yaml", proxyConfig(plane.kubeconfigOf("kube-proxy")));
  await machine.part("kube-proxy", [programs["kube-proxy"], `--config=${proxy}`], NOTHING);
}
