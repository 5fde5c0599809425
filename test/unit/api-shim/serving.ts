// The HTTP server of the shim alone, on loopback: its routes, door and stream are the test's.
import { connect, type Socket } from "node:net";
import { afterEach } from "@jest/globals";
import { z } from "zod";
import type { Door } from "../../../api-shim/access/door.ts";
import type { Hub } from "../../../api-shim/events/hub.ts";
import { makeServer, type RestServer, type ServerSettings } from "../../../api-shim/http/server.ts";
import { makeStreams } from "../../../api-shim/http/streams.ts";
import { route, type Route } from "../../../api-shim/routes/route.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";

export const CALLER = { identity: { username: "someone", uid: undefined, groups: [], extra: {} }, namespace: "studio" };
const NO_TASKS: Hub = {
  seen: () => undefined,
  all: () => [],
  follow: () => () => undefined,
  followAll: () => () => undefined,
};
const OPEN: Door = { admit: () => Promise.resolve(CALLER) };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

export interface Served {
  readonly server: RestServer;
  readonly port: number;
  /** Handlers that were begun. */
  readonly handled: () => number;
  readonly logged: { readonly event: string; readonly fields: Readonly<Record<string, unknown>> }[];
}

export interface Serving {
  readonly handle?: (signal: AbortSignal) => Promise<unknown>;
  readonly door?: Door;
  readonly settings?: Partial<ServerSettings>;
}

/** `POST /echo` takes any JSON object, `GET /wait` answers when the test's handler does. */
export async function serve({
  door = OPEN,
  handle = () => Promise.resolve({}),
  settings,
}: Serving = {}): Promise<Served> {
  let handled = 0;
  const logged: Served["logged"] = [];
  const work = async (signal: AbortSignal): Promise<{ readonly status: number; readonly body: unknown }> => {
    handled += 1;
    return { status: 200, body: await handle(signal) };
  };
  const described = {
    summary: "",
    access: { verb: "get", resource: "generationtasks" },
    replies: [],
    problems: [],
  } as const;
  const routes: readonly Route[] = [
    route({
      ...described,
      method: "POST",
      path: "/echo",
      id: "echo",
      body: z.looseObject({}),
      handle: ({ signal }) => work(signal),
    }),
    route({ ...described, method: "GET", path: "/wait", id: "wait", handle: ({ signal }) => work(signal) }),
  ];
  const streams = makeStreams({
    ...{ hub: NO_TASKS, clock: systemClock },
    settings: { heartbeatMs: 1000, lifetimeMs: 10_000, stallMs: 1000 },
    limits: { all: 10, perNamespace: 10 },
  });
  const server = makeServer({
    ...{ routes, door, streams, clock: systemClock, isStopping: () => false },
    metrics: { answered: () => undefined, refused: () => undefined },
    log: (_level, event, fields = {}) => void logged.push({ event, fields }),
    settings: { maxConnections: 100, maxRequests: 100, answerMs: 5_000, ...settings },
  });
  const port = await server.listen({ host: "127.0.0.1", port: 0 });
  closing.push(() => server.close(AbortSignal.abort()));
  return { server, port, handled: () => handled, logged };
}

export interface Wire {
  readonly socket: Socket;
  readonly send: (text: string) => void;
  /** Everything that came, when the server has hung up. */
  readonly ended: Promise<string>;
  /** Resolves when this much matches. */
  readonly until: (pattern: RegExp) => Promise<string>;
}

/** Bytes as a hostile client would send them. */
export async function wire(port: number): Promise<Wire> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  const listeners = new Set<() => void>();
  const ended = new Promise<string>((resolve) => socket.once("close", () => resolve(text)));
  socket.on("error", () => undefined); // a reset is an end like others
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    for (const look of listeners) look();
  });
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  closing.push(() => {
    socket.destroy();
    return Promise.resolve();
  });
  return {
    socket,
    ended,
    send: (sent) => void socket.write(sent),
    until: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (pattern.test(text)) resolve(text);
        };
        listeners.add(look);
        look();
      }),
  };
}

/** The head of a request whose body is sent apart. */
export function head(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}): string {
  const lines = Object.entries({ host: "shim", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`;
}
