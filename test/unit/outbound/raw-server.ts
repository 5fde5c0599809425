// A TCP server that does exactly what a test says, byte by byte, and records what reached it.
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

export interface RawServer {
  readonly port: number;
  readonly url: string;
  /** What arrived, one text a connection that was accepted. */
  readonly received: readonly string[];
  /** Resolves when another connection is accepted. */
  readonly accepted: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Behaviour {
  readonly onAccept?: (socket: Socket) => void;
  /** When a whole request is there: its head, and as much body as it says. `nth` counts connections from 1. */
  readonly onRequest?: (socket: Socket, text: string, nth: number) => void;
}

export async function startRawServer(behaviour: Behaviour): Promise<RawServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    const index = received.push("") - 1;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    behaviour.onAccept?.(socket);
    let answered = 0;
    socket.on("data", (chunk) => {
      const text = `${received[index] ?? ""}${chunk.toString("latin1")}`;
      received[index] = text;
      if (!isWhole(text.slice(answered))) return;
      const request = text.slice(answered);
      answered = text.length;
      behaviour.onRequest?.(socket, request, index + 1);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    received,
    accepted: async () => {
      await once(server, "connection");
    },
    close: () => closeAll(server, sockets),
  };
}

/** A whole answer of HTTP/1.1 as text. */
export function answer(status: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ "content-length": String(Buffer.byteLength(body)), ...headers });
  return `HTTP/1.1 ${status}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = Number(/\r\ncontent-length: ([0-9]+)/i.exec(text)?.[1] ?? 0);
  return text.length >= end + 4 + length;
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, "close");
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}
