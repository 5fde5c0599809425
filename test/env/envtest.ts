// The official envtest archive (etcd, kube-apiserver, kubectl; no controller manager), for machines without Go.
// Its SHA-512 sums are those that the controller-tools project publishes in envtest-releases.yaml.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONTROL_PLANE } from "./binary-search.ts";
import type { Say } from "./build.ts";

/** The newest one with published sums; one patch behind the version that is built from source. */
export const ENVTEST_VERSION = "v1.36.2";
const RELEASES = "https://github.com/kubernetes-sigs/controller-tools/releases/download";
const LIMIT_MS = 300_000;
const LIMIT_BYTES = 300_000_000;

const SHA512: Readonly<Record<string, string>> = {
  "darwin-amd64":
    "b4fe9f973cd1992e3880f8b230ed32c0c243b83371591e3e3315f4404df2cdbef8ee94eeb9bb245b7e5feb987d5c4a76c43e0877654ab73f00d7bbc2b9984514",
  "darwin-arm64":
    "9278f9e5af556b2f1f2d139769c1f0d717c7b4426917fdebdba898bcb725a916e4910d6160886194ff9be9589ea7c5c32c2b8ae0754703874b7c8ba8ddfc41ce",
  "linux-amd64":
    "ea743186c8a799f5cf8faf16969f86189d003cb7d130e0ac4b58789f1e5748dcf30ebe91c837a10d5ac415383da3e10b9e64d65785c938c23e739781cfb76f08",
  "linux-arm64":
    "2d72ee985a8e262a3c57dc9f7f0fd891f6a8c7bf7ebaa2db6dc6d8eac8ae28181afe51c1f368b67756cdb40b10de9b205609e1726e5f27f7c6d824dd9c6649ac",
};

function platform(): string {
  return `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
}

/** Why there is no archive for this machine, or undefined when there is one. */
export function whyNoArchive(): string | undefined {
  return SHA512[platform()] === undefined ? `there is no envtest archive for ${platform()}` : undefined;
}

async function download(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) }).catch((error: unknown) => {
    throw new Error(`cannot download ${url}`, { cause: error instanceof Error ? (error.cause ?? error) : error });
  });
  if (!response.ok) throw new Error(`cannot download ${url}: status ${response.status}`);
  const length = Number(response.headers.get("content-length") ?? 0);
  if (length > LIMIT_BYTES) throw new Error(`cannot download ${url}: ${length} bytes are more than expected`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Downloads, verifies and unpacks the archive. Throws when its sum is not the published one. */
export async function downloadControlPlane(into: string, say: Say): Promise<void> {
  const name = `envtest-${ENVTEST_VERSION}-${platform()}.tar.gz`;
  say(`downloading ${name} (about 60 MB, once)`);
  const archive = await download(`${RELEASES}/envtest-${ENVTEST_VERSION}/${name}`);
  const sum = createHash("sha512").update(archive).digest("hex");
  if (sum !== SHA512[platform()]) throw new Error(`cannot use ${name}: its SHA-512 is ${sum}, not the published one`);
  const file = join(into, name);
  writeFileSync(file, archive);
  execFileSync("tar", ["-xzf", file, "-C", into]);
  for (const program of CONTROL_PLANE)
    renameSync(join(into, "controller-tools", "envtest", program), join(into, program));
  rmSync(join(into, "controller-tools"), { recursive: true });
  rmSync(file);
}
