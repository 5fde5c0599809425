// The server for probes and scrapes: /livez, /readyz and /metrics, for the cluster only. It changes nothing, takes no
// body, and answers nothing that a stranger may not see.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeServer, listen } from "./listen.ts";

/** As runtime/health.ts answers: `problems` are short words, such as a watch's name. */
export interface Verdict {
  readonly isWell: boolean;
  readonly problems: readonly string[];
}

export interface ObservedParts {
  live(): Verdict;
  ready(): Verdict;
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface ObserveServer {
  /** The port that it listens on. */
  readonly port: number;
  /** Stops taking connections, lets running answers end, and cuts what is left after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 2_000,
} as const;
const MAX_CONNECTIONS = 64;
const SCRAPE_MS = 9_000;
const GRACE_MS = 2_000;

/** Listens; rejects when the port can't be had. Port 0 takes a free one. */
export async function startObserveServer(
  at: { readonly port: number; readonly host?: string },
  parts: ObservedParts,
): Promise<ObserveServer> {
  const server = createServer(LIMITS, (request, response) => void answer(parts, request, response));
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = LIMITS.requestTimeout;
  const port = await listen(server, at);
  return { port, close: (graceMs = GRACE_MS) => closeServer(server, graceMs) };
}

async function answer(parts: ObservedParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader("cache-control", "no-store");
  response.setHeader("x-content-type-options", "nosniff");
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    response.setHeader("connection", "close"); // a body that nobody reads would hold the connection
    send(response, { status: 405, text: "method not allowed\n" });
    return;
  }
  try {
    send(response, await answerTo(parts, (request.url ?? "").split("?")[0] ?? ""));
  } catch {
    send(response, { status: 500, text: "internal error\n" });
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

async function answerTo(parts: ObservedParts, path: string): Promise<Answer> {
  switch (path) {
    case "/livez":
      return answerOf(parts.live());
    case "/readyz":
      return answerOf(parts.ready());
    case "/metrics":
      return scraped(parts);
    default:
      return { status: 404, text: "not found\n" };
  }
}

function answerOf({ isWell, problems }: Verdict): Answer {
  return isWell ? { status: 200, text: "ok\n" } : { status: 503, text: `${problems.join("\n")}\n` };
}

async function scraped(parts: ObservedParts): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(resolve, SCRAPE_MS, { status: 503, text: "cannot collect the metrics in time\n" });
    timer.unref(); // a scrape under way keeps no process alive
  });
  const scrape = parts.scrape().then((metrics): Answer => ({ status: 200, ...metrics }));
  scrape.catch(() => undefined); // when it is late and then fails, nobody waits for it any more
  try {
    return await Promise.race([scrape, late]);
  } finally {
    clearTimeout(timer);
  }
}

function send(response: ServerResponse, { status, text, contentType = "text/plain; charset=utf-8" }: Answer): void {
  response.statusCode = status;
  response.setHeader("content-type", contentType);
  response.end(text); // Node leaves the body out for HEAD
}
