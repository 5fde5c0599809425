// Who takes part: our runtime, the limit, and the runtimes of others.
import { join } from "node:path";
import { controllerRuntimeProgram, dotIFolder } from "../peers/peers.ts";
import type { Contestant } from "./contestant.ts";

const here = import.meta.dirname;
const dotIMain = join(here, "..", "peers", "dot-i", "main.ts");

function inNode(name: string, file: string, how: string): Contestant {
  return {
    name,
    command: ({ namespace, writes, workers }) => [
      ...[process.execPath, join(here, file)],
      ...[namespace, String(writes), String(workers), how],
    ],
  };
}

export const ours = inNode("ours", "ours.ts", "patch");
export const oursApplying = inNode("server-side apply", "ours.ts", "apply");
export const bareLoop = inNode("bare-loop", "bare-loop.ts", "http2");
export const bareLoopHttp1 = inNode("bare-loop over HTTP/1.1", "bare-loop.ts", "http1");

export async function controllerRuntime(say: (line: string) => void): Promise<Contestant> {
  const program = await controllerRuntimeProgram(say);
  return {
    name: "controller-runtime",
    command: ({ namespace, writes, workers }) => [program, namespace, String(writes), String(workers)],
  };
}

export async function dotI(say: (line: string) => void): Promise<Contestant> {
  const folder = await dotIFolder(say);
  return {
    name: "@dot-i/k8s-operator",
    command: ({ namespace, writes }) => [process.execPath, dotIMain, folder, namespace, String(writes)],
  };
}
