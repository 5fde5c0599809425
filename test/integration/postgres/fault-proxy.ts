// A proxy before Postgres that reads what the client says, and takes away what a test wants lost: a COMMIT, or its answer.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** What becomes of one COMMIT: both ways open; sent on and its answer thrown away; or never sent on. */
export type CommitFate = "pass" | "lose-answer" | "lose-commit";

export interface FaultProxy {
  /** The same URL by way of the proxy. */
  through(url: string): string;
  /** Asked at every COMMIT; everything passes until told. */
  decide(fate: () => CommitFate): void;
  /** Connections from now on go to another server. */
  turnTo(port: number): void;
  close(): Promise<void>;
}

const COMMIT = Buffer.from("Q\0\0\0\x0bcommit\0", "latin1");

export async function startFaultProxy(serverUrl: string): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const state: { fate: () => CommitFate; port: number } = {
    fate: () => "pass",
    port: Number(new URL(serverUrl).port),
  };
  const server = createServer((client) => {
    const upstream = connect({ host: "127.0.0.1", port: state.port });
    join(client, upstream, () => state.fate());
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    through: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    decide: (fate) => {
      state.fate = fate;
    },
    turnTo: (other) => {
      state.port = other;
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

/** The driver writes a COMMIT as one piece, by itself: it waits for the answer to what it sent before. */
function join(client: Socket, upstream: Socket, fate: () => CommitFate): void {
  let isAnswerLost = false;
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  client.on("data", (data) => {
    const what = data.equals(COMMIT) ? fate() : "pass";
    isAnswerLost = what === "lose-answer";
    if (what === "lose-commit") end();
    else upstream.write(data);
  });
  upstream.on("data", (data) => {
    if (isAnswerLost) end();
    else client.write(data);
  });
  for (const socket of [client, upstream]) socket.on("error", end).on("close", end).setNoDelay(true);
}
