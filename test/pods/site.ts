// The cluster as a platform engineer has it: kubectl, Helm, and a way to a port inside.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { delimiter, dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { kubectl as runKubectl } from "../env/kubectl.ts";
import { ensureHelm } from "../chart/helm.ts";
import type { Backend } from "./backend.ts";

const run = promisify(execFile);
const HELM_MS = 300_000;
const KUBECTL_MS = 300_000;
const FORWARD_MS = 60_000;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** The standard output of kubectl. Throws with its standard error when it fails, or after five minutes. */
export function kubectl(backend: Backend, args: readonly string[], input = ""): Promise<string> {
  return runKubectl(backend, args, { input, limitMs: KUBECTL_MS });
}

/** Helm's answer; rejects with its words. */
export async function helm(backend: Backend, args: readonly string[]): Promise<string> {
  const home = join(tmpdir(), `genop-helm-${process.pid}`);
  const folders = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: backend.kubeconfigPath, ...folders };
  const { stdout } = await run(await ensureHelm(say), args, { timeout: HELM_MS, maxBuffer: 16 * 1024 * 1024, env });
  return stdout;
}

/** What a person types; the standard output. Rejects with what it said when it fails. */
export async function shell(backend: Backend, line: string): Promise<string> {
  const path = [dirname(backend.kubectlPath), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, KUBECONFIG: backend.kubeconfigPath };
  return (await run("bash", ["-euo", "pipefail", "-c", line], { timeout: KUBECTL_MS, env })).stdout;
}

export interface Forward {
  /** On loopback. */
  readonly port: number;
  close(): void;
}

/** A port of ours that leads to a port of a Service's pod, until the pod ends. */
export async function forwardTo(backend: Backend, namespace: string, target: string, port: number): Promise<Forward> {
  const place = ["--kubeconfig", backend.kubeconfigPath, "--namespace", namespace];
  const child = spawn(backend.kubectlPath, [...place, "port-forward", target, `:${port}`], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let words = ""; // it complains of every connection that a client ends: told only when it fails
  child.stderr.on("data", (chunk: Buffer) => (words = chunk.toString("utf8")));
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`cannot reach ${target}: ${words.trim()}`)));
  ended.catch(() => undefined); // it ends in good order later
  const limit = setTimeout(() => child.kill(), FORWARD_MS);
  const first = (async (): Promise<number> => {
    for await (const line of createInterface(child.stdout)) {
      const [, own] = /127\.0\.0\.1:(\d+) ->/.exec(line) ?? [];
      if (own !== undefined) return Number(own);
    }
    throw new Error(`cannot reach ${target}: kubectl named no port`);
  })();
  try {
    const own = await Promise.race([first, ended]);
    child.stdout.resume();
    return { port: own, close: () => void child.kill() };
  } finally {
    clearTimeout(limit);
  }
}
