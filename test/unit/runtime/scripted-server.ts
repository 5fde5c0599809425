// An HTTP server that answers by a script, and remembers what it was asked. On loopback, gone with the test.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig, type User } from "@kubernetes/client-node";
import { systemClock, type Clock } from "../../../operator/runtime/clock.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Resolves when the client has gone before the answer was whole. */
  readonly hungUp: Promise<void>;
}

export type Answer = (response: ServerResponse, asked: Asked) => void;

export interface ScriptedServer {
  readonly url: string;
  readonly asked: Asked[];
  readonly connections: () => number;
  kubeConfig(user?: Partial<User>): KubeConfig;
  close(): Promise<void>;
}

/** `script` is asked for each request. */
export async function startScriptedServer(script: (asked: Asked, count: number) => Answer): Promise<ScriptedServer> {
  const asked: Asked[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const url = new URL(request.url ?? "/", "http://server");
      const hungUp = new Promise<void>((resolve) =>
        response.on("close", () => (response.writableFinished ? 0 : resolve())),
      );
      const { method = "", headers } = request;
      const item = { method, path: url.pathname, query: url.searchParams, headers, body, hungUp };
      asked.push(item);
      script(item, asked.length)(response, item);
    });
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    connections: () => connections,
    kubeConfig: (user) => kubeConfigOf(url, user),
    close: () => closed(server),
  };
}

export const answer = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body));
};

export const failure = (status: number, reason: string, details: object = {}): Answer =>
  answer({ kind: "Status", status: "Failure", code: status, reason, details, message: "secret text" }, status);

export const hangUp: Answer = (response) => response.destroy();

export const silence: Answer = () => undefined;

/** Lines of a watch; the stream stays open unless `end`. */
export const lines = (events: readonly unknown[], { end = false } = {}): Answer => {
  return (response) => {
    response.writeHead(200);
    for (const event of events) response.write(`${JSON.stringify(event)}\n`);
    if (end) response.end();
  };
};

/** Real time, so many times faster: for waits of minutes over real sockets. */
export function makeFastClock(factor: number): Clock {
  return {
    monotonicMs: () => performance.now() * factor,
    date: () => new Date(),
    after: (afterMs, run) => systemClock.after(afterMs / factor, run),
  };
}

function kubeConfigOf(server: string, user: Partial<User> = {}): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: "c", server, skipTLSVerify: true }, { name: "u", ...user });
  return config;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
