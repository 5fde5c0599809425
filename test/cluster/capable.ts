// Whether this machine can run pods. What is missing is said in words, so that a level that can't run says why.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { whyNoGo } from "../env/build.ts";

/** Where Debian's package containernetworking-plugins puts them. */
export const CNI_PLUGINS = "/usr/lib/cni";
export const CGROUPS = "/sys/fs/cgroup";

/** Each program, and the package that brings it. */
const PROGRAMS = {
  buildah: "buildah",
  containerd: "containerd",
  runc: "runc",
  debootstrap: "debootstrap",
  nft: "nftables",
  conntrack: "conntrack",
  ip: "iproute2",
  unshare: "util-linux",
  nsenter: "util-linux",
  setpriv: "util-linux",
} as const;

const SYSTEM_FOLDERS = ["/usr/sbin", "/sbin"];

function isThere(program: string): boolean {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...SYSTEM_FOLDERS];
  return folders.some((folder) => existsSync(join(folder, program)));
}

function missingPackages(): readonly string[] {
  const missing = Object.entries(PROGRAMS).flatMap(([program, name]) => (isThere(program) ? [] : [name as string]));
  if (!existsSync(join(CNI_PLUGINS, "bridge"))) missing.push("containernetworking-plugins");
  return [...new Set(missing)];
}

/** Version 1 has a hierarchy for each controller, version 2 one for all. */
function canLimitMemory(): boolean {
  const versionOne = join(CGROUPS, "memory");
  const probe = join(existsSync(versionOne) ? versionOne : CGROUPS, `generation-operator-probe-${process.pid}`);
  try {
    mkdirSync(probe);
    rmdirSync(probe);
    return true;
  } catch {
    return false;
  }
}

function canMakeNamespaces(): boolean {
  return spawnSync("unshare", ["--mount", "--net", "--pid", "--ipc", "--fork", "--mount-proc", "true"]).status === 0;
}

/** Why no pods can run here, or undefined when they can. */
export function whyNoPods(): string | undefined {
  if (process.platform !== "linux") return "pods need Linux";
  if (process.getuid?.() !== 0) return "pods need root";
  const missing = missingPackages();
  if (missing.length > 0) return `these Debian packages are missing: ${missing.join(", ")}`;
  if (!canMakeNamespaces()) return "this machine lets nobody make namespaces";
  if (!canLimitMemory()) return "this machine lets nobody make control groups";
  return whyNoGo();
}
