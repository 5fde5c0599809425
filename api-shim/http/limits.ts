// What one connection and one client may take, by the layers of Node's server: bytes, times and numbers. Times that lie around
// others are longer than those inside: request < connection; the API's answer < request (wiring.ts).
import type { FastifyInstance } from "fastify";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

export const HTTP_LIMITS = {
  /** All headers together, the token among them. */
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  /** From the first byte of a request to the last of its body. */
  requestMs: 30_000,
  /** Between two requests. */
  keepAliveMs: 65_000,
  /** Without a byte in either direction; streams have their own. */
  idleMs: 75_000,
  checkMs: 1_000,
  headers: 64,
  requestsPerConnection: 10_000,
  /** Sent without waiting for the answers before. */
  pipelined: 16,
  paramLength: 128,
} as const;

export interface ServerTimes {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly idleMs: number;
}

/** The numbers that Fastify has no option for. */
export function limitConnections({ server }: FastifyInstance, maxConnections: number, times: ServerTimes): void {
  server.maxConnections = maxConnections;
  server.maxHeadersCount = HTTP_LIMITS.headers;
  server.maxRequestsPerSocket = HTTP_LIMITS.requestsPerConnection;
  server.timeout = times.idleMs;
}

export interface Pipelines {
  /** False when this connection has too many requests under way; it must be closed then. */
  enter(request: IncomingMessage): boolean;
  leave(request: IncomingMessage): void;
  /** Requests under way, of all connections. */
  underWay(): number;
}

export function makePipelines(): Pipelines {
  const bySocket = new WeakMap<Socket, number>();
  let all = 0;
  const change = ({ socket }: IncomingMessage, by: number): number => {
    const now = (bySocket.get(socket) ?? 0) + by;
    bySocket.set(socket, now);
    all += by;
    return now;
  };
  return {
    enter: (request) => change(request, 1) <= HTTP_LIMITS.pipelined,
    leave: (request) => void change(request, -1),
    underWay: () => all,
  };
}
