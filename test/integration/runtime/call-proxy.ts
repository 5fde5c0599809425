// A proxy before the API server that speaks HTTP/2 on both sides, under the server's own certificate: it can fail one call,
// where a TCP proxy can only fail a connection.
import { readFileSync } from "node:fs";
import {
  connect,
  constants,
  createSecureServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { AttachedEnvironment } from "../../env/attach.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** It came over a connection that is dead behind the proxy. */
  readonly isLost: boolean;
  /** Resolves with the code when the stream is over: 8 (CANCEL) when the client broke it off. */
  readonly closed: Promise<number>;
}

export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What becomes of a call: undefined lets it pass, "silence" never answers, "reset" breaks its stream. */
export type Fate = Refusal | "silence" | "reset" | undefined;

/** How the calls under way end, after the words that are put into their mouth. */
export interface Cut {
  readonly saying?: string;
  readonly then: "end" | "reset" | "go on";
}

export interface CallProxy {
  readonly port: number;
  readonly asked: readonly Asked[];
  /** TLS connections so far. */
  readonly connections: () => number;
  /** Calls under way. */
  readonly open: () => number;
  /** Decides about every call from now on. */
  judge(judge: (asked: Asked) => Fate): void;
  /** Ends every call that is being answered. */
  cut(cut: Cut): void;
  /** Tells every connection that no new call may begin on it, as a server does that is being replaced. */
  goAway(): void;
  /** Connections that are open now stay healthy, pings included, but no call on them is ever answered again: dead behind a proxy. */
  deafen(): void;
  close(): Promise<void>;
}

interface State {
  readonly asked: Asked[];
  readonly sessions: Set<ServerHttp2Session>;
  readonly deaf: WeakSet<object>;
  readonly streams: Set<ServerHttp2Stream>;
  readonly upstream: Upstream;
  connections: number;
  judge: (asked: Asked) => Fate;
}

export async function startCallProxy(environment: AttachedEnvironment): Promise<CallProxy> {
  const upstream = makeUpstream(environment);
  const begin = { asked: [], sessions: new Set<ServerHttp2Session>(), streams: new Set<ServerHttp2Stream>() };
  const state: State = {
    ...begin,
    ...{ deaf: new WeakSet<object>(), upstream, connections: 0, judge: () => undefined },
  };
  const file = (name: string): Buffer => readFileSync(join(environment.folder, "certificates", name));
  const server = createSecureServer({ key: file("apiserver.key"), cert: file("apiserver.crt") });
  server.on("session", (session) => {
    state.connections += 1;
    state.sessions.add(session);
    session.on("error", () => undefined);
    session.on("close", () => state.sessions.delete(session));
  });
  server.on("stream", (stream, headers) => serve(state, stream, headers));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as AddressInfo).port,
    asked: state.asked,
    connections: () => state.connections,
    open: () => state.streams.size,
    judge: (judge) => (state.judge = judge),
    cut: (how) => state.streams.forEach((stream) => end(stream, how)),
    goAway: () => state.sessions.forEach((session) => session.goaway()),
    deafen: () => state.sessions.forEach((session) => state.deaf.add(session)),
    close: async () => {
      state.sessions.forEach((session) => session.destroy());
      upstream.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Upstream {
  session(): ClientHttp2Session;
  close(): void;
}

/** One connection to the real server, made again when it was lost. */
function makeUpstream(environment: AttachedEnvironment): Upstream {
  let session: ClientHttp2Session | undefined;
  return {
    session: () => {
      if (session && !session.closed && !session.destroyed) return session;
      session = connect(environment.apiServerUrl, { ca: readFileSync(environment.caFile) });
      session.on("error", () => undefined);
      return session;
    },
    close: () => session?.destroy(),
  };
}

function serve(state: State, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const url = new URL(String(headers[":path"]), "https://server");
  const closed = new Promise<number>((resolve) => stream.once("close", () => resolve(stream.rstCode)));
  const method = String(headers[":method"]);
  const isLost = stream.session !== undefined && state.deaf.has(stream.session);
  const asked = { method, path: url.pathname, query: url.searchParams, headers, isLost, closed };
  state.asked.push(asked);
  state.streams.add(stream);
  stream.on("error", () => undefined);
  stream.once("close", () => state.streams.delete(stream));

  const fate = isLost ? "silence" : state.judge(asked);
  if (fate === "silence") stream.resume();
  else if (fate === "reset") reset(stream);
  else if (fate) refuse(stream, fate);
  else pass(state, stream, headers);
}

function refuse(stream: ServerHttp2Stream, { status, headers = {}, body = "" }: Refusal): void {
  stream.resume();
  stream.respond({ ":status": status, ...headers });
  stream.end(body);
}

function pass(state: State, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const call = state.upstream.session().request({ ...headers, ":authority": undefined });
  call.on("response", (answered) => {
    if (stream.headersSent || stream.destroyed) return;
    stream.respond({ ...answered });
  });
  call.on("data", (bytes: Buffer) => {
    const isDeaf = stream.session !== undefined && state.deaf.has(stream.session);
    if (!isDeaf && stream.writable) stream.write(bytes);
  });
  call.on("end", () => stream.end());
  call.on("error", () => reset(stream));
  stream.once("close", () => call.close(constants.NGHTTP2_CANCEL));
  stream.pipe(call);
}

function end(stream: ServerHttp2Stream, { saying, then }: Cut): void {
  if (!stream.headersSent || !stream.writable) return;
  if (saying !== undefined) stream.write(saying);
  if (then === "end") stream.end();
  else if (then === "reset") reset(stream);
}

/** `close` with a code would end it in order first: the client would see no fault. */
function reset(stream: ServerHttp2Stream): void {
  stream.destroy(new Error("reset"));
}
