// The simulated provider as a process: reads its arguments, opens the record, listens, says where, and ends on SIGTERM.
import { renameSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { makeAdminServer } from "./admin/server.ts";
import { makePublicServer } from "./api/server.ts";
import { makeClerk } from "./jobs/clerk.ts";
import { makeContents } from "./outputs/contents.ts";
import type { Provider } from "./provider.ts";
import { openRecord } from "./record/record.ts";
import { makeWebhookSender } from "./webhooks/send.ts";

const LOOPBACK = "127.0.0.1";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    port: { type: "string", default: "0" },
    "admin-port": { type: "string", default: "0" },
    "mirror-port": { type: "string", default: "0" },
    "port-file": { type: "string" },
    token: { type: "string", default: "simulated" },
    // Of the public API alone; whoever writes another one here lets others in.
    host: { type: "string", default: LOOPBACK },
  },
});
if (values.data === undefined) throw new Error("cannot start the provider: --data names no folder for its record");

const stopping = new AbortController();
const record = openRecord(values.data);
const webhooks = makeWebhookSender(record, stopping.signal);
const clerk = makeClerk(record, webhooks);
const provider: Provider = {
  record,
  webhooks,
  clerk,
  contents: makeContents(),
  token: values.token,
  mirrorPort: () => portOf(servers.mirror),
  signal: stopping.signal,
};
const servers = {
  main: makePublicServer(provider, "main"),
  admin: makeAdminServer(provider),
  mirror: makePublicServer(provider, "mirror"),
};

await listen(servers.mirror, values["mirror-port"], LOOPBACK);
await listen(servers.admin, values["admin-port"], LOOPBACK);
await listen(servers.main, values.port, values.host);
clerk.poke();
announce(values["port-file"]);
process.once("SIGTERM", stop);
process.once("SIGINT", stop);

async function listen(server: Server, port: string, host: string): Promise<void> {
  server.listen(Number(port), host);
  await once(server, "listening");
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Whoever sees the file sees all of it, and can connect. */
function announce(file: string | undefined): void {
  const ports = { port: portOf(servers.main), adminPort: portOf(servers.admin), mirrorPort: portOf(servers.mirror) };
  const line = `${JSON.stringify(ports)}\n`;
  if (file === undefined) {
    process.stdout.write(line);
    return;
  }
  writeFileSync(`${file}.new`, line);
  renameSync(`${file}.new`, file);
}

function stop(): void {
  stopping.abort();
  clerk.stop();
  for (const server of Object.values(servers)) {
    server.close();
    server.closeAllConnections();
  }
  // What was withheld or under way ends by the signal in this turn; the record closes after it.
  setImmediate(() => {
    record.close();
  });
}
