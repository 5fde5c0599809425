// A pool of guarded connections. It never looks at the proxy variables of the environment: a proxy would resolve names
// for us, and the guard would see nothing but the proxy.
import { Agent, type buildConnector, type Dispatcher } from "undici";
import { openSocket, type ConnectPolicy } from "./socket.ts";

export interface DispatcherPolicy extends ConnectPolicy {
  /** Connections at once to one origin; further calls wait for one, within their own deadline. */
  readonly maxConnections: number;
}

const IDLE_MS = 10_000;
const MAX_ORIGINS = 256;

/** Each call carries its own deadlines: the pool has none beyond connecting. Follows no redirect, repeats nothing. */
export function makeGuardedDispatcher(policy: DispatcherPolicy): Dispatcher {
  return new Agent({
    connect: makeConnector(policy),
    connections: policy.maxConnections,
    maxOrigins: MAX_ORIGINS,
    keepAliveTimeout: IDLE_MS,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

// A connection that nobody waits for any more is bounded by the policy's own limits.
const forever = new AbortController().signal;

function makeConnector(policy: ConnectPolicy): buildConnector.connector {
  return ({ hostname, port, protocol }, callback) => {
    const isSecure = protocol === "https:";
    openSocket({ hostname, port: Number(port || (isSecure ? 443 : 80)), isSecure }, policy, forever).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error("no connection"), null),
    );
  };
}
