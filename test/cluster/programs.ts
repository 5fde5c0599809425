// What runs on a node beside the control plane, built once with Go. The node's module pins what the control plane's does (test/env), so that
// Go's cache has most of it when the control plane was built here.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { KUBERNETES_VERSION, VERSION_FLAGS, compile, whyNoGo, type Say } from "../env/build.ts";
import { cacheKey, cacheRoot, makeOnce } from "../env/cache.ts";

const NODE_MODULE = join(import.meta.dirname, "node");
const DNS_MODULE = join(import.meta.dirname, "dns");
const NODE_PINS = ["go.mod", "go.sum", "main.go", "pause/main.go"].map((file) => join(NODE_MODULE, file));
const DNS_PINS = ["go.mod", "go.sum", "main.go"].map((file) => join(DNS_MODULE, file));
const NODE_PARTS = ["kubelet", "kube-proxy", "kube-scheduler"] as const;

export type NodePrograms = Readonly<Record<(typeof NODE_PARTS)[number] | "coredns" | "pause", string>>;

async function buildNode(into: string, say: Say): Promise<void> {
  say(
    "building kubelet, kube-proxy and kube-scheduler with Go (once; about two minutes on two cores after the control plane)",
  );
  await compile(NODE_MODULE, ["-ldflags", `-s -w ${VERSION_FLAGS}`, "-o", join(into, "node"), "."], "node", say);
  await compile(NODE_MODULE, ["-ldflags", "-s -w", "-o", join(into, "pause"), "./pause"], "pause", say);
  for (const name of NODE_PARTS) symlinkSync("node", join(into, name));
}

async function buildDns(into: string, say: Say): Promise<void> {
  say("building CoreDNS with Go (once; about a minute on two cores)");
  await compile(DNS_MODULE, ["-ldflags", "-s -w", "-o", join(into, "coredns"), "."], "CoreDNS", say);
}

/** Builds them when they are not there yet. Throws one sentence when Go is missing. */
export async function ensureNodePrograms(say: Say): Promise<NodePrograms> {
  const root = cacheRoot(process.env);
  const node = join(root, cacheKey(`node-${KUBERNETES_VERSION}`, NODE_PINS));
  const dns = join(root, cacheKey("coredns", DNS_PINS));
  const noGo = whyNoGo();
  if (noGo !== undefined) throw new Error(`cannot build a node: ${noGo}`);
  await makeOnce(node, (into) => buildNode(into, say), say);
  await makeOnce(dns, (into) => buildDns(into, say), say);
  return {
    kubelet: join(node, "kubelet"),
    "kube-proxy": join(node, "kube-proxy"),
    "kube-scheduler": join(node, "kube-scheduler"),
    pause: join(node, "pause"),
    coredns: join(dns, "coredns"),
  };
}
