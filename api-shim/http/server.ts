// The HTTP server: routes from the table, limits, problems, and an end in good order. Knows no route in particular.
import { randomUUID } from "node:crypto";
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Log } from "../../operator/observe/log.ts";
import type { Clock } from "../../operator/runtime/clock.ts";
import type { Door } from "../access/door.ts";
import type { ShimMetrics } from "../metrics.ts";
import { PROBLEMS, Problem, PROBLEM_TYPE, bodyOf, headersOf, type ProblemCode } from "../problems.ts";
import type { Route } from "../routes/route.ts";
import { BODY_LIMITS, readBody } from "./body.ts";
import { admit, answerOf, send } from "./exchange.ts";
import { answerBroken, problemOf } from "./faults.ts";
import { HTTP_LIMITS, limitConnections, makePipelines, type Pipelines, type ServerTimes } from "./limits.ts";
import type { Streams } from "./streams.ts";

export interface ServerDeps {
  readonly routes: readonly Route[];
  readonly door: Door;
  readonly streams: Streams;
  readonly metrics: ShimMetrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  readonly settings: ServerSettings;
}

export interface ServerSettings {
  readonly maxConnections: number;
  readonly maxRequests: number;
  /** For a handler, from the end of the body on. */
  readonly answerMs: number;
  readonly times?: Partial<ServerTimes>;
}

export interface RestServer {
  /** The port that it listens on. Rejects when it can't be had. */
  listen(at: { readonly host: string; readonly port: number }): Promise<number>;
  /** Takes no more connections, ends the streams, and resolves when the requests under way are answered; `force` cuts them. */
  close(force: AbortSignal): Promise<void>;
  underWay(): number;
  connections(): number;
}

/** Listens to nothing yet. */
export function makeServer(deps: ServerDeps): RestServer {
  const { log, routes, settings, streams } = deps;
  const times = { ...HTTP_LIMITS, ...settings.times };
  const app = makeApp(times, (code) => deps.metrics.answered(`(${code})`, PROBLEMS[code].status, undefined));
  const pipelines = makePipelines();
  const sockets = new Set<unknown>();
  limitConnections(app, settings.maxConnections, times);
  app.server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  observe(app, deps, pipelines);
  app.setErrorHandler((error, request, reply) => refuse(deps, request, reply, problemOf(error)));
  for (const route of routes) serve(app, deps, route);

  return {
    listen: async ({ host, port }) => {
      await app.listen({ host, port });
      const address = app.server.address();
      log("info", "rest.listening", { port: typeof address === "object" ? address?.port : port });
      return typeof address === "object" && address !== null ? address.port : port;
    },
    close: async (force) => {
      streams.stop();
      const cut = (): void => app.server.closeAllConnections();
      force.addEventListener("abort", cut, { once: true });
      if (force.aborted) cut();
      await app.close();
      force.removeEventListener("abort", cut);
    },
    underWay: () => pipelines.underWay() - streams.count(),
    connections: () => sockets.size,
  };
}

function makeApp(times: ServerTimes, told: (code: ProblemCode) => void): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMITS.bytes,
    requestTimeout: times.requestMs,
    keepAliveTimeout: times.keepAliveMs,
    http: {
      maxHeaderSize: HTTP_LIMITS.headerBytes,
      headersTimeout: times.headersMs,
      connectionsCheckingInterval: HTTP_LIMITS.checkMs,
    },
    routerOptions: { maxParamLength: HTTP_LIMITS.paramLength },
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    clientErrorHandler: (error, socket) => answerBroken(error, socket, told),
    frameworkErrors: (error, _request, reply) => {
      // No hook has run: this request is counted nowhere.
      const problem = problemOf(error);
      reply.raw.writeHead(problem.status, { "content-type": PROBLEM_TYPE, connection: "close" });
      reply.raw.end(JSON.stringify(bodyOf(problem, randomUUID())));
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) => {
    try {
      done(null, readBody(String(text)));
    } catch (error) {
      done(problemOf(error));
    }
  });
  return app;
}

/** What every request gets: an id, its place in the limits, and its count at its end, however it ends. */
function observe(app: FastifyInstance, deps: ServerDeps, pipelines: Pipelines): void {
  const { clock, isStopping, log, metrics, routes, settings, streams } = deps;
  app.addHook("onRequest", async (request, reply) => {
    const startedMs = clock.monotonicMs();
    const isFair = pipelines.enter(request.raw);
    reply.raw.once("close", () => {
      pipelines.leave(request.raw);
      const route = request.routeOptions.url ?? "(none)";
      const tookMs = clock.monotonicMs() - startedMs;
      const { headersSent, statusCode } = reply.raw;
      const isStream = reply.raw.getHeader("content-type")?.toString().startsWith("text/event-stream") ?? false;
      metrics.answered(route, headersSent ? statusCode : 499, isStream ? undefined : tookMs / 1000);
      log("debug", "request.ended", { id: request.id, method: request.method, route, status: statusCode, tookMs });
    });
    void reply.headers({
      "x-request-id": request.id,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    });
    if (isStopping()) void reply.header("connection", "close");
    if (!isFair) {
      request.raw.socket.destroy(); // who asks and does not listen gets no answer
      return reply.hijack();
    }
    if (pipelines.underWay() - streams.count() > settings.maxRequests) {
      throw new Problem("overloaded", {
        detail: "cannot answer now: too many requests are under way; try again",
        retryAfterSeconds: 1,
      });
    }
    if (request.is404) throw notFound(routes, request); // before a body is read, and whatever the method
    return undefined;
  });
}

function serve(app: FastifyInstance, deps: ServerDeps, route: Route): void {
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    onRequest: (request) => admit(deps.door, route, request),
    handler: async (request, reply) => {
      const answer = await answerOf(route, request, AbortSignal.timeout(deps.settings.answerMs));
      if ("stream" in answer) deps.streams.open(answer.stream, reply);
      else send(reply, answer);
      return reply;
    },
  });
}

function refuse({ log }: ServerDeps, request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  const { cause, code, status } = problem;
  if (cause !== undefined) {
    const level = code === "internal" ? "error" : status >= 500 ? "warn" : "info";
    log(level, "request.failed", { id: request.id, problem: code, error: cause });
  }
  // A body that nobody reads would hold the connection.
  if (!request.raw.complete) void reply.header("connection", "close");
  void reply.code(status).headers(headersOf(problem)).type(PROBLEM_TYPE);
  void reply.send(Buffer.from(JSON.stringify(bodyOf(problem, request.id)))); // as bytes: no charset is added
}

function notFound(routes: readonly Route[], { method, url }: FastifyRequest): Problem {
  const path = url.split("?")[0] ?? "";
  const methods = routes.filter((route) => patternOf(route.path).test(path)).map((route) => route.method);
  if (methods.length === 0) return new Problem("not-found", { detail: "cannot find this path: see /openapi.json" });
  const allow = [...new Set(methods)].sort().join(", ");
  return new Problem("method-not-allowed", { detail: `cannot ${method} here: use ${allow}`, headers: { allow } });
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}
