// Takes providers' webhooks: bounded in everything, written down before they are answered, and never interpreted here. A request
// that is not for an attempt of ours costs no more than a hash.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeServer, listen } from "../observe/listen.ts";
import { makeRate, type Rate } from "../runtime/rate.ts";
import { attemptAt } from "./address.ts";

export interface Message {
  readonly attemptId: string;
  /** The same for a message that is sent again. */
  readonly digest: string;
  /** What signatures are made of; a credential among them only as its SHA-256. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type ReceiveOutcome = "accepted" | "stranger" | "refused" | "too-large" | "too-often" | "failed";

export interface ReceiverDeps {
  readonly key: string;
  /** Resolves when the message is on disk, or was already. Rejects when that can't be known. */
  readonly store: (message: Message) => Promise<unknown>;
  readonly count: (outcome: ReceiveOutcome) => void;
  readonly nowMs: () => number;
}

export interface Receiver {
  readonly port: number;
  close(): Promise<void>;
}

export const RECEIVER_LIMITS = { bodyBytes: 256 * 1024, connections: 512, requestMs: 10_000, storing: 64 } as const;
/** Of one attempt's address: a provider sends a handful of messages, a flood is somebody else. */
const PACE = { perSecond: 2, burst: 20, maxNames: 10_000 };
const SERVER = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: RECEIVER_LIMITS.requestMs,
  keepAliveTimeout: 20_000,
  connectionsCheckingInterval: 1_000,
} as const;

/** Listens; rejects when the port can't be had. Port 0 takes a free one. */
export async function startReceiver(
  at: { readonly port: number; readonly host: string },
  deps: ReceiverDeps,
): Promise<Receiver> {
  const intake = { ...deps, rate: makeRate({ monotonicMs: deps.nowMs }, PACE), storing: { now: 0 } };
  const server = createServer(SERVER, (request, response) => void receive(intake, request, response));
  server.maxConnections = RECEIVER_LIMITS.connections;
  server.timeout = 2 * RECEIVER_LIMITS.requestMs;
  return { port: await listen(server, at), close: () => closeServer(server, RECEIVER_LIMITS.requestMs) };
}

interface Intake extends ReceiverDeps {
  readonly rate: Rate;
  readonly storing: { now: number };
}

const STATUS: Readonly<Record<ReceiveOutcome, number>> = {
  accepted: 202,
  stranger: 404,
  refused: 405,
  "too-large": 413,
  "too-often": 429,
  failed: 503,
};

async function receive(intake: Intake, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const outcome = await outcomeOf(intake, request).catch((): ReceiveOutcome => "failed");
  intake.count(outcome);
  response.statusCode = STATUS[outcome];
  // What was not read must not be taken for the next request.
  if (outcome !== "accepted") response.setHeader("connection", "close");
  if (outcome === "too-often" || outcome === "failed") response.setHeader("retry-after", "5");
  response.end();
}

async function outcomeOf(intake: Intake, request: IncomingMessage): Promise<ReceiveOutcome> {
  const attemptId = attemptAt((request.url ?? "").split("?")[0] ?? "", intake.key);
  if (attemptId === undefined) return "stranger";
  if (request.method !== "POST") return "refused";
  if (intake.rate.take(attemptId) > 0) return "too-often";
  const body = await bodyOf(request);
  if (!body) return "too-large";
  if (intake.storing.now >= RECEIVER_LIMITS.storing) return "too-often";
  intake.storing.now += 1;
  try {
    const headers = keptHeaders(request);
    await intake.store({ attemptId, digest: digestOf(headers, body), headers, body });
    return "accepted";
  } finally {
    intake.storing.now -= 1;
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > RECEIVER_LIMITS.bodyBytes) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > RECEIVER_LIMITS.bodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const KEPT = /^(webhook-|svix-|x-)|signature|timestamp/;
const MAX_HEADERS = 32;

/** Names in lower case. */
function keptHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    KEPT.test(name) && typeof value === "string" ? [[name, value] as const] : [],
  );
  const shown = headers.authorization;
  const authorization = shown === undefined ? [] : [["authorization-sha256", sha256(shown)] as const];
  return Object.fromEntries([...authorization, ...kept.slice(0, MAX_HEADERS)]);
}

/** By the body, and the id that the sender gives a message so that its copies are known. */
function digestOf(headers: Readonly<Record<string, string>>, body: Buffer): string {
  const id = headers["webhook-id"] ?? headers["svix-id"] ?? headers["x-fal-webhook-request-id"] ?? "";
  return createHash("sha256").update(`${id}\n`).update(body).digest("hex");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
