// Tells what the database knows of one task or of one namespace's credits, to whom the cluster lets read the object of the same
// name. GET alone, no body, bounded in everything. A stranger learns nothing: not even whether the namespace exists.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { bearerOf } from "../access/bearer.ts";
import type { Action, Permissions } from "../access/permissions.ts";
import type { Tokens } from "../access/tokens.ts";
import { closeServer, listen } from "../observe/listen.ts";
import { unreachable } from "../task/unreachable.ts";

export type Question =
  | { readonly about: "task"; readonly namespace: string; readonly name: string }
  | { readonly about: "account"; readonly namespace: string; readonly lines: number };

export interface EvidenceDeps {
  readonly tokens: Tokens;
  readonly permissions: Permissions;
  /** Undefined when there is nothing of this name. Rejects when the database does not answer. */
  readonly read: (question: Question, signal: AbortSignal) => Promise<object | undefined>;
  /** Told of what could not be answered, without any of its contents. */
  readonly failed: (error: unknown) => void;
}

export interface EvidenceServer {
  readonly port: number;
  close(): Promise<void>;
}

const READ_MS = 8_000;
const READING_AT_ONCE = 16;
const DEFAULT_LINES = 20;
const SERVER = {
  maxHeaderSize: 32 * 1024, // a token of an identity provider may be long
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 20_000,
  connectionsCheckingInterval: 1_000,
} as const;
const MAX_CONNECTIONS = 128;

/** Listens; rejects when the port can't be had. Port 0 takes a free one. */
export async function startEvidenceServer(
  at: { readonly port: number; readonly host: string },
  deps: EvidenceDeps,
): Promise<EvidenceServer> {
  const desk = { ...deps, reading: { now: 0 } };
  const server = createServer(SERVER, (request, response) => void answer(desk, request, response));
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = 2 * SERVER.requestTimeout;
  return { port: await listen(server, at), close: () => closeServer(server, READ_MS) };
}

interface Desk extends EvidenceDeps {
  readonly reading: { now: number };
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const refusal = (status: number, message: string): Answer => ({ status, body: { message } });

async function answer(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { body, status } = await answerTo(desk, request).catch((error: unknown) => {
    desk.failed(error);
    return refusal(503, "cannot tell: the database or the cluster does not answer; try again");
  });
  response.statusCode = status;
  response.setHeader("content-type", "application/json; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  response.setHeader("x-content-type-options", "nosniff");
  if (status === 401) response.setHeader("www-authenticate", 'Bearer realm="genop"');
  if (status === 429 || status === 503) response.setHeader("retry-after", "2");
  if (request.method !== "GET") response.setHeader("connection", "close"); // its body is not read
  response.end(JSON.stringify(body));
}

async function answerTo(desk: Desk, request: IncomingMessage): Promise<Answer> {
  if (request.method !== "GET") return refusal(405, "cannot change anything here: this tells, and takes GET alone");
  const question = questionIn(request.url ?? "");
  if (question === undefined) return refusal(404, "cannot find this: see docs/guide/kubectl-genop.md");
  return (await refusalFor(desk, request, question)) ?? read(desk, question);
}

/** What the cluster says of who asks; undefined when he may. Comes before anything is looked up. */
async function refusalFor(desk: Desk, { headers }: IncomingMessage, question: Question): Promise<Answer | undefined> {
  const token = bearerOf(headers);
  const identity = token === undefined ? undefined : await desk.tokens.identityOf(token);
  if (identity === "later") return refusal(429, "cannot look at the token: too many unknown tokens came at once");
  if (identity === undefined)
    return refusal(401, "cannot tell who asks: send a token of the cluster that is still good");

  const action = actionOf(question);
  const name = question.about === "task" ? question.name : undefined;
  const allowed = await desk.permissions.isAllowed(identity, action, { namespace: question.namespace, name });
  return allowed ? undefined : refusal(403, `cannot tell: you may not ${action.verb} ${action.resource} there`);
}

function actionOf(question: Question): Action {
  switch (question.about) {
    case "task":
      return { verb: "get", resource: "generationtasks" };
    case "account":
      return { verb: "list", resource: "creditgrants" };
    default:
      return unreachable(question);
  }
}

async function read(desk: Desk, question: Question): Promise<Answer> {
  if (desk.reading.now >= READING_AT_ONCE) return refusal(429, "cannot tell: too many ask at once; try again");
  desk.reading.now += 1;
  try {
    const told = await desk.read(question, AbortSignal.timeout(READ_MS));
    return told ? { status: 200, body: told } : refusal(404, "cannot find the task: the operator has not recorded one");
  } finally {
    desk.reading.now -= 1;
  }
}

const PATH =
  /^\/v1\/namespaces\/([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)\/(?:tasks\/([a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)|account)$/;

/** Undefined: not a question that is answered here. */
export function questionIn(url: string): Question | undefined {
  const [path = "", query = ""] = url.split("?");
  const [, namespace, name] = PATH.exec(path) ?? [];
  if (namespace === undefined) return undefined;
  if (name !== undefined) return { about: "task", namespace, name };
  const lines = new URLSearchParams(query).get("lines") ?? String(DEFAULT_LINES);
  return /^[1-9][0-9]{0,3}$/.test(lines) ? { about: "account", namespace, lines: Number(lines) } : undefined;
}
