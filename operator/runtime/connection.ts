// The one pool of connections of the process. Made anew when the certificates change or when it seems dead;
// the old one finishes what it carries. Knows nothing of what is sent over it.
import type { KubeConfig } from "@kubernetes/client-node";
import { Pool, ProxyAgent, type Dispatcher } from "undici";
import type { Clock } from "./clock.ts";
import { readCredentials, type Credentials } from "./credentials.ts";
import { makeDeadline } from "./deadline.ts";
import type { Log } from "./log.ts";
import { endOrphans } from "./orphans.ts";
import { CredentialError } from "./errors.ts";

export interface Route {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Connection {
  /** The way to the API server now, with credentials at most ten seconds old. Ends, well or not, within 25 seconds. */
  route(): Promise<Route>;
  /** Reads the credentials anew before the next call: they were refused. */
  distrust(): void;
  /** Something came from the server. */
  heard(): void;
  /** A call begun at `sinceMs` had no answer. If nothing else was heard since, new calls use new connections. */
  suspect(sinceMs: number): void;
  close(): Promise<void>;
}

export interface ConnectionDeps {
  readonly kubeConfig: KubeConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** For HTTP/1.1; over HTTP/2 one connection carries about a hundred calls. */
  readonly maxConnections: number;
}

const REREAD_MS = 10_000;
// A little less than a call has, so that the call can say what it waited for: a plugin, or whoever gives out tokens.
const READ_MS = 25_000;
const CONNECT_MS = 10_000;
// A dead HTTP/2 session is found by two of these; see also `suspect`.
const PING_MS = 15_000;
// Below the idle limits of common load balancers.
const KEEP_ALIVE_PROBE_MS = 30_000;
const IDLE_MS = 60_000;

interface Current {
  readonly credentials: Credentials;
  readonly dispatcher: Dispatcher;
  readonly readAtMs: number;
}

export function makeConnection(deps: ConnectionDeps): Connection {
  const { clock, log } = deps;
  const retired = makeRetired();
  const ignoreOrphans = endOrphans();
  let current: Current | undefined;
  let reading: Promise<Current> | undefined;
  let isStale = false;
  const closing = new AbortController();
  let heardAtMs = clock.monotonicMs();

  function renew(credentials: Credentials, why: string): Current {
    if (current) {
      log("info", "connection.renewed", { why });
      retired.add(current.dispatcher);
    }
    const dispatcher = makeDispatcher(credentials, deps.maxConnections);
    return (current = { credentials, dispatcher, readAtMs: clock.monotonicMs() });
  }

  async function read(): Promise<Current> {
    isStale = false;
    const credentials = await readInTime(deps, closing.signal);
    if (current?.credentials.digest !== credentials.digest)
      return renew(credentials, "certificates or address changed");
    return (current = { ...current, credentials, readAtMs: clock.monotonicMs() });
  }

  async function latest(): Promise<Current> {
    closing.signal.throwIfAborted();
    if (current && !isStale && clock.monotonicMs() - current.readAtMs < REREAD_MS) return current;
    reading ??= read().finally(() => (reading = undefined));
    return reading;
  }

  return {
    route: async () => {
      const { credentials, dispatcher } = await latest();
      const { origin, prefix, headers } = credentials;
      return { dispatcher, origin, prefix, headers };
    },
    distrust: () => (isStale = true),
    heard: () => (heardAtMs = clock.monotonicMs()),
    suspect: (sinceMs) => {
      if (!current || heardAtMs > sinceMs || closing.signal.aborted) return;
      renew(current.credentials, "nothing was heard from the API server");
      heardAtMs = clock.monotonicMs(); // the new one gets its own chance
    },
    close: async () => {
      closing.abort(new Error("cannot reach the API server: the transport is closed"));
      await Promise.all([current?.dispatcher.destroy(), retired.destroy()]);
      ignoreOrphans();
    },
  };
}

/** Throws also when the connection was closed meanwhile. */
async function readInTime({ clock, kubeConfig }: ConnectionDeps, closing: AbortSignal): Promise<Credentials> {
  const deadline = makeDeadline(clock, closing, READ_MS, lateCredentials);
  const credentials = await readCredentials(kubeConfig, deadline.signal).finally(() => deadline.clear());
  closing.throwIfAborted();
  return credentials;
}

const lateCredentials = (): Error =>
  new CredentialError(`the kubeconfig's plugin or token server gave no credential within ${READ_MS / 1000} s`);

// Calls and watches under way keep their connection to their own end: every one of them has a limit.
function makeRetired(): { add(dispatcher: Dispatcher): void; destroy(): Promise<void> } {
  const leaving = new Set<Dispatcher>();
  return {
    add: (dispatcher) => {
      leaving.add(dispatcher);
      const forget = (): boolean => leaving.delete(dispatcher);
      void dispatcher.close().then(forget, forget);
    },
    destroy: async () => {
      await Promise.all([...leaving].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

function makeDispatcher(credentials: Credentials, connections: number): Dispatcher {
  const connect = {
    ...credentials.tls,
    timeout: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
  };
  const options = {
    connections,
    keepAliveTimeout: IDLE_MS,
    headersTimeout: 0, // every call carries its own deadline
    bodyTimeout: 0,
    h2Options: { pingInterval: PING_MS },
  };
  return credentials.proxyUrl
    ? new ProxyAgent({ ...options, uri: credentials.proxyUrl, requestTls: credentials.tls })
    : new Pool(credentials.origin, { ...options, connect }); // an Agent forgets what it has closed, and could not cut it any more
}
