// The one way a plain server begins and ends: listening or refused, and closed within a limit.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The port, once it is listened on. Rejects when it can't be had. Port 0 takes a free one. */
export async function listen(server: Server, at: { readonly port: number; readonly host?: string }): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(at.port, at.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** Takes no more connections, lets running answers end, and cuts what is left after `graceMs`. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const end = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await end;
  clearTimeout(cut);
}
