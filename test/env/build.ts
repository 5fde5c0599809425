// Builds the programs of the environment with Go from the modules pinned in this folder (go.mod and go.sum),
// so that the only thing to trust is the checksums in the repository.
import { execFileSync, spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { CONTROLLER_MANAGER, CONTROL_PLANE, OBJECT_STORE } from "./binary-search.ts";

const KUBERNETES = { major: 1, minor: 36, patch: 3 };
export const KUBERNETES_VERSION = `v${KUBERNETES.major}.${KUBERNETES.minor}.${KUBERNETES.patch}`;
export const OBJECT_STORE_VERSION = "v1.8.0";
const NEEDED_GO = { major: 1, minor: 26 };
/** From this version on, Go fetches the toolchain that a module asks for. */
const FETCHES_TOOLCHAINS = { major: 1, minor: 21 };

const VERSION_PACKAGE = "k8s.io/component-base/version";
// Without these the server calls itself v0.0.0-master, and feature gates follow that.
export const VERSION_FLAGS = [
  `-X ${VERSION_PACKAGE}.gitVersion=${KUBERNETES_VERSION}`,
  `-X ${VERSION_PACKAGE}.gitMajor=${KUBERNETES.major}`,
  `-X ${VERSION_PACKAGE}.gitMinor=${KUBERNETES.minor}`,
].join(" ");

const TELL_EVERY_MS = 30_000;
const KEPT_LINES = 30;

export type Say = (line: string) => void;

/** Why Go cannot be used here, or undefined when it can. */
export function whyNoGo(): string | undefined {
  let text: string;
  try {
    text = execFileSync("go", ["env", "GOVERSION", "GOTOOLCHAIN"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      cwd: import.meta.dirname,
    });
  } catch {
    return "Go is not installed";
  }
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(text) ?? [];
  const needed = text.includes("\nlocal") ? NEEDED_GO : FETCHES_TOOLCHAINS;
  const enough = Number(major) > needed.major || Number(minor) >= needed.minor;
  return enough
    ? undefined
    : `Go ${String(major)}.${String(minor)} is too old: ${needed.major}.${needed.minor} is needed`;
}

/** Runs `go build` in the folder of a module. */
export function compile(folder: string, args: readonly string[], what: string, say: Say): Promise<void> {
  const started = Date.now();
  const elapsed = () => `${((Date.now() - started) / 1000).toFixed(0)} s`;
  let packages = 0;
  let lines: readonly string[] = [];
  const child = spawn("go", ["build", "-v", "-trimpath", "-buildvcs=false", ...args], {
    cwd: folder,
    env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    const fresh = text.split("\n").filter((line) => line !== "");
    packages += fresh.filter((line) => !line.includes(" ")).length;
    lines = [...lines, ...fresh].slice(-KEPT_LINES);
  });
  const ticker = setInterval(() => say(`  ${what}: ${elapsed()}, ${packages} packages compiled`), TELL_EVERY_MS);
  return new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      if (status === 0) resolve();
      else
        reject(new Error(`cannot build ${what}: go build ended with status ${String(status)}:\n${lines.join("\n")}`));
    });
  })
    .then(() => say(`  ${what}: built in ${elapsed()}`))
    .finally(() => clearInterval(ticker));
}

/** Etcd, kube-apiserver, kube-controller-manager and kubectl, as links to one program. */
export async function buildControlPlane(into: string, say: Say): Promise<void> {
  say(
    `building etcd and Kubernetes ${KUBERNETES_VERSION} with Go (once; about five minutes on two cores with an empty Go cache)`,
  );
  const target = join(into, "kubernetes");
  const args = ["-ldflags", `-s -w ${VERSION_FLAGS}`, "-o", target, "."];
  await compile(join(import.meta.dirname, "control-plane"), args, "control plane", say);
  for (const name of [...CONTROL_PLANE, CONTROLLER_MANAGER]) symlinkSync("kubernetes", join(into, name));
}

/** The S3 server. */
export async function buildObjectStore(into: string, say: Say): Promise<void> {
  say(
    `building versitygw ${OBJECT_STORE_VERSION} with Go (once; about ninety seconds on two cores with an empty Go cache)`,
  );
  const args = ["-ldflags", "-s -w", "-o", join(into, OBJECT_STORE), "github.com/versity/versitygw/cmd/versitygw"];
  await compile(join(import.meta.dirname, "object-store"), args, "object store", say);
}
