// An HTTP server on loopback whose answers are written by each test, down to the socket where need be.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export interface Sender {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  readonly port: number;
  /** `METHOD /path` of every request, in order. */
  readonly asked: readonly string[];
  /** A URL that is answered so. */
  serve(path: string, respond: Respond): string;
  close(): Promise<void>;
}

export async function startSender(): Promise<Sender> {
  const routes = new Map<string, Respond>();
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    asked.push(`${request.method ?? ""} ${path}`);
    const respond = routes.get(path);
    if (respond) respond(request, response);
    else response.writeHead(404).end();
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    port,
    asked,
    serve(path, respond) {
      routes.set(path, respond);
      return `${origin}${path}`;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** All of it, with its length. */
export function sized(bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): Respond {
  return (_, response) => {
    response.writeHead(200, { "content-length": bytes.byteLength, ...headers }).end(bytes);
  };
}

/** All of it in chunks. */
export function chunked(bytes: Uint8Array): Respond {
  return (_, response) => {
    response.writeHead(200);
    response.write(bytes.subarray(0, 10));
    response.end(bytes.subarray(10));
  };
}

/** Neither length nor chunks: the connection's end is the body's end. HEAD is answered as told. */
export function closing(
  bytes: Uint8Array,
  head: Respond = (_, response) => void response.writeHead(405).end(),
): Respond {
  return (request, response) => {
    if (request.method === "HEAD" || request.headers.range !== undefined) {
      head(request, response);
      return;
    }
    request.socket.end(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"), bytes]));
  };
}

/** Says it has more than it sends. */
export function cut(bytes: Uint8Array, sent: number): Respond {
  return (request, response) => {
    response.writeHead(200, { "content-length": bytes.byteLength });
    response.write(bytes.subarray(0, sent), () => request.socket.destroy());
  };
}

/** So many bytes at a time, for ever. */
export function dripping(first: Uint8Array, bytesPerTick: number, everyMs: number): Respond {
  return (_, response) => {
    response.writeHead(200);
    response.write(first);
    const timer = setInterval(() => response.write(Buffer.alloc(bytesPerTick)), everyMs);
    response.on("close", () => clearInterval(timer));
  };
}

/** As fast as it is taken, for ever. */
export function endless(first: Uint8Array): Respond {
  return (_, response) => {
    const piece = Buffer.alloc(64 * 1024);
    response.writeHead(200);
    response.write(first);
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  };
}
