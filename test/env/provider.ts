// The provider simulator (test/provider), a process like the others. It chooses its ports itself at its first start
// and keeps them afterwards.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PartPlan } from "./part.ts";
import type { Probe } from "./probe.ts";
import type { Start } from "./start.ts";

export interface Provider {
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly token: string;
}

interface Ports {
  readonly port: number;
  readonly adminPort: number;
}

const PROGRAM = join(import.meta.dirname, "..", "provider", "main.ts");

/** Starts the simulator with an empty record. */
export async function startProvider(start: Start): Promise<Provider> {
  if (!existsSync(PROGRAM)) throw new Error(`cannot start the provider simulator: there is no ${PROGRAM}`);
  const data = join(start.folder, "provider");
  const portFile = join(start.folder, "provider-ports.json");
  mkdirSync(data, { recursive: true });
  const token = randomBytes(18).toString("hex");
  const plan = ({ port, adminPort }: Ports, ready: Probe): PartPlan => ({
    name: "provider",
    command: [
      process.execPath,
      ...["--disable-warning=ExperimentalWarning", PROGRAM],
      ...["--data", data, "--port-file", portFile, "--token", token],
      ...["--port", String(port), "--admin-port", String(adminPort)],
    ],
    logFile: start.logFile("provider"),
    stopSignal: "SIGTERM",
    quitSignal: "SIGKILL",
    ready,
  });
  await start.part(() => plan({ port: 0, adminPort: 0 }, { type: "file", path: portFile }));
  const ports = JSON.parse(readFileSync(portFile, "utf8")) as Ports;
  start.record(plan(ports, { type: "tcp", ports: [ports.port, ports.adminPort] }));
  return { baseUrl: `http://127.0.0.1:${ports.port}`, adminUrl: `http://127.0.0.1:${ports.adminPort}`, token };
}
