// The public API: records every request before anything else, checks the credential, and hands it to the operation it is for.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createHash, timingSafeEqual } from "node:crypto";
import { deliver, type Ended } from "../faults/wire.ts";
import type { Provider } from "../provider.ts";
import type { Credential } from "../record/requests.ts";
import { unreachable } from "../unreachable.ts";
import { cancel } from "./cancel.ts";
import type { Exchange } from "./exchange.ts";
import { list, lookUp } from "./list.ts";
import { serveOutput } from "./outputs.ts";
import { query } from "./query.ts";
import { refusal, whole, type Delivery } from "./reply.ts";
import { routeOf } from "./route.ts";
import { submit } from "./submit.ts";
import { targetOf } from "./target.ts";
import { usage } from "./usage.ts";

/** Idle connections are kept for long: a client must not meet a reset that no fault asked for. */
const KEEP_ALIVE_MS = 120_000;

/** The public listener, or its mirror on another port, which is the same API seen under another origin. */
export function makePublicServer(provider: Provider, port: "main" | "mirror"): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    const requestId = recordArrival(provider, port, request);
    handle(provider, requestId, request, response).catch((error: unknown) => {
      giveUp(provider, requestId, request, error);
      response.destroy();
    });
  });
  server.on("connection", (socket) => {
    socket.on("error", () => socket.destroy()); // a client that resets is no fault of the provider's
    if (provider.record.settings.takeConnectionReset()) socket.resetAndDestroy();
  });
  return server;
}

function recordArrival(provider: Provider, port: "main" | "mirror", request: IncomingMessage): number {
  const url = targetOf(request);
  const method = request.method ?? "";
  const { operation } = routeOf(method, url);
  const credential = credentialOf(provider.token, request.headers.authorization);
  const headers = { ...request.headers };
  delete headers.authorization;
  const path = `${url.pathname}${url.search}`;
  return provider.record.requests.arrived({ port, operation, method, path, headers, credential });
}

/** A client that goes while it still sends its body is a thing to record; all else is a defect of the provider. */
function giveUp(provider: Provider, requestId: number, request: IncomingMessage, error: unknown): void {
  if (provider.signal.aborted) return;
  provider.record.requests.ended(requestId, null, "aborted");
  if (request.complete) console.error("cannot answer a request", error);
}

async function handle(
  provider: Provider,
  requestId: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = targetOf(request);
  const { operation, names } = routeOf(request.method ?? "", url);
  const origin = `http://${request.headers.host ?? "127.0.0.1"}`;
  const exchange = { request, response, requestId, operation, url, names, origin };

  const ended = await answer(provider, exchange, credentialOf(provider.token, request.headers.authorization));
  if (provider.signal.aborted) return;
  provider.record.atomically(() => {
    provider.record.requests.ended(requestId, ended.status, ended.outcome);
    if (operation === "submit" || operation === "redirected-submit") {
      provider.record.events.append("submit.answered", { requestId, status: ended.status, outcome: ended.outcome });
    }
  });
}

async function answer(provider: Provider, exchange: Exchange, credential: Credential): Promise<Ended> {
  if (exchange.operation === "output") return serveOutput(provider, exchange);
  if (credential !== "valid") {
    const { requestId, operation } = exchange;
    provider.record.events.append("request.refused", { requestId, operation, credential });
    return deliver(exchange.response, whole(refusal(401, "unauthorised", "no valid key")), provider.signal);
  }
  return deliver(exchange.response, await operate(provider, exchange), provider.signal);
}

function operate(provider: Provider, exchange: Exchange): Delivery | Promise<Delivery> {
  switch (exchange.operation) {
    case "submit":
    case "redirected-submit":
      return submit(provider, exchange);
    case "query":
      return query(provider, exchange);
    case "look-up":
      return lookUp(provider, exchange);
    case "list":
      return list(provider, exchange);
    case "cancel":
      return cancel(provider, exchange);
    case "usage":
      return usage(provider, exchange);
    case "output":
    case "unknown":
      return whole(refusal(404, "not_found", "no such endpoint"));
    default:
      return unreachable(exchange.operation);
  }
}

function credentialOf(token: string, authorization: string | undefined): Credential {
  if (authorization === undefined) return "absent";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`)) ? "valid" : "wrong";
}
