// The provider simulator (test/provider), a process like the others.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PartPlan } from "./part.ts";
import type { Start } from "./start.ts";

export interface Provider {
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly token: string;
}

const PROGRAM = join(import.meta.dirname, "..", "provider", "main.ts");

/** Starts the simulator with an empty record. */
export async function startProvider(start: Start): Promise<Provider> {
  if (!existsSync(PROGRAM)) throw new Error(`cannot start the provider simulator: there is no ${PROGRAM}`);
  const data = join(start.folder, "provider");
  const portFile = join(start.folder, "provider-ports.json");
  mkdirSync(data, { recursive: true });
  const token = randomBytes(18).toString("hex");
  const [port, adminPort] = await start.part((ports): PartPlan => ({
    name: "provider",
    command: [
      process.execPath,
      ...["--disable-warning=ExperimentalWarning", PROGRAM],
      ...["--data", data, "--port-file", portFile, "--token", token],
      ...["--port", String(ports[0]), "--admin-port", String(ports[1]), "--mirror-port", String(ports[2])],
    ],
    logFile: start.logFile("provider"),
    stopSignal: "SIGTERM",
    quitSignal: "SIGKILL",
    ready: {
      type: "all",
      probes: [
        { type: "file", path: portFile },
        { type: "tcp", ports },
      ],
    },
  }));
  return { baseUrl: `http://127.0.0.1:${port}`, adminUrl: `http://127.0.0.1:${adminPort}`, token };
}
