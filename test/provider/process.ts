// Runs the simulated provider as a process of its own, so that it can be killed and started again with the same record.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeProviderAdmin, type ProviderAdmin } from "./client.ts";

const MAIN = join(import.meta.dirname, "main.ts");
const START_MS = 20_000;
const LOOK_EVERY_MS = 20;

export interface ProviderOptions {
  /** The folder of the record; the same folder again goes on with the same record. */
  readonly data: string;
  readonly port?: number;
  readonly adminPort?: number;
  readonly mirrorPort?: number;
  readonly token?: string;
}

export interface Ports {
  readonly port: number;
  readonly adminPort: number;
  readonly mirrorPort: number;
}

export interface RunningProvider extends Ports {
  readonly pid: number;
  /** Without /v1. */
  readonly url: string;
  readonly adminUrl: string;
  readonly mirrorUrl: string;
  readonly token: string;
  readonly admin: ProviderAdmin;
  /** Sends the signal and resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** SIGTERM. */
  stop(): Promise<void>;
}

/** Starts it and resolves when it can be reached. Throws if it does not start within 20 s or `signal` ends first. */
export async function startProvider(options: ProviderOptions, signal: AbortSignal): Promise<RunningProvider> {
  mkdirSync(options.data, { recursive: true });
  const portFile = join(options.data, "ports.json");
  await rm(portFile, { force: true });

  const token = options.token ?? "simulated";
  const child = spawn(process.execPath, [MAIN, ...argumentsOf(options, portFile, token)], {
    stdio: ["ignore", "inherit", "inherit"],
    env: {},
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(START_MS)]);
  try {
    return running(child, await readPorts(child, portFile, limit), token);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

function argumentsOf(options: ProviderOptions, portFile: string, token: string): readonly string[] {
  const { data, port = 0, adminPort = 0, mirrorPort = 0 } = options;
  const ports = ["--port", String(port), "--admin-port", String(adminPort), "--mirror-port", String(mirrorPort)];
  return ["--data", data, "--port-file", portFile, "--token", token, ...ports];
}

async function readPorts(child: ChildProcess, portFile: string, signal: AbortSignal): Promise<Ports> {
  while (child.exitCode === null && child.signalCode === null) {
    signal.throwIfAborted();
    const text = await readFile(portFile, "utf8").catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as Ports;
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
  throw new Error("cannot start the provider: the process ended; its reason is on stderr");
}

function running(child: ChildProcess, ports: Ports, token: string): RunningProvider {
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  const adminUrl = `http://127.0.0.1:${ports.adminPort}`;
  return {
    ...ports,
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${ports.port}`,
    adminUrl,
    mirrorUrl: `http://127.0.0.1:${ports.mirrorPort}`,
    token,
    admin: makeProviderAdmin(adminUrl),
    kill,
    stop: () => kill("SIGTERM"),
  };
}
