// One call to the API server as its user makes it, with the server's own words when it refuses: they are meant for him. The
// operator's transport, which never quotes an answer, is for processes that log; of it only the connection is used.
import type { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { readLines } from "../../operator/runtime/answers.ts";
import { orAborted, systemClock } from "../../operator/runtime/clock.ts";
import { makeConnection, type Connection, type Route } from "../../operator/runtime/connection.ts";
import { CredentialError } from "../../operator/runtime/errors.ts";
import { silent } from "../../operator/runtime/log.ts";
import { exchange } from "../../operator/runtime/sender.ts";

export interface ApiCall {
  /** Default GET. */
  readonly method?: "GET" | "POST" | "PATCH";
  /** From /api or /apis on, percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The API server refused, or did not answer (status 0). `message` is its own word, or says what happened. */
export class ApiError extends Error {
  readonly status: number;
  readonly location: string | undefined;

  constructor(status: number, message: string, location?: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.location = location;
  }
}

export interface Cluster {
  /** The parsed answer. Throws ApiError, or the signal's reason. */
  call(request: ApiCall, signal: AbortSignal): Promise<unknown>;
  /** The lines of a watch, until the server ends it. Throws alike. */
  watch(request: ApiCall, signal: AbortSignal): AsyncIterable<unknown>;
  /** The bearer token that the kubeconfig has for us; undefined for client certificates. */
  token(signal: AbortSignal): Promise<string | undefined>;
  close(): Promise<void>;
}

const CALL_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_MESSAGE = 2_000;

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: AsyncIterable<Buffer>;
}

type Send = (request: ApiCall, signal: AbortSignal) => Promise<Answer>;

/** Throws ApiError when the kubeconfig gives no credential: the server was not asked. */
async function routeOf(connection: Connection, signal: AbortSignal): Promise<Route> {
  return orAborted(connection.route(), signal).catch((error: unknown) => {
    if (error instanceof CredentialError) throw new ApiError(401, error.message);
    throw error;
  });
}

function makeSend(connection: Connection): Send {
  return async function send(request: ApiCall, signal: AbortSignal): Promise<Answer> {
    const { method = "GET", body, contentType = "application/json", path } = request;
    try {
      const { dispatcher, origin, prefix, headers } = await routeOf(connection, signal);
      const typed = body === undefined ? {} : { "content-type": contentType };
      const answer = await exchange(
        dispatcher,
        {
          ...{ origin, method, path: `${prefix}${path}${queryOf(request)}` },
          headers: {
            accept: "application/json",
            "user-agent": "kubectl-genop",
            ...typed,
            ...request.headers,
            ...headers,
          },
          body: body === undefined ? null : JSON.stringify(body),
        },
        signal,
      );
      const { location } = answer.headers;
      return {
        status: answer.statusCode,
        location: typeof location === "string" ? location : undefined,
        body: answer.body,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError) throw error;
      throw new ApiError(0, `the API server cannot be reached${codeOf(error)}`);
    }
  };
}

export function makeCluster(kubeConfig: KubeConfig): Cluster {
  const connection = makeConnection({ kubeConfig, clock: systemClock, log: silent, maxConnections: 8 });
  const send = makeSend(connection);

  async function succeeded(request: ApiCall, signal: AbortSignal): Promise<Answer> {
    const answer = await send(request, signal);
    if (answer.status >= 200 && answer.status < 300) return answer;
    const text = await textOf(answer.body).catch(() => "");
    throw new ApiError(answer.status, messageIn(text) ?? `the server answered ${answer.status}`, answer.location);
  }

  return {
    call: async (request, signal) => {
      const late = AbortSignal.timeout(CALL_MS);
      try {
        const { body } = await succeeded(request, AbortSignal.any([signal, late]));
        return JSON.parse(await textOf(body)) as unknown;
      } catch (error) {
        signal.throwIfAborted();
        if (late.aborted) throw new ApiError(0, `there was no answer within ${CALL_MS / 1000} s`);
        if (error instanceof SyntaxError) throw new ApiError(0, "the answer cannot be read");
        throw error;
      }
    },
    watch: async function* (request, signal) {
      const { body } = await succeeded(request, signal);
      yield* readLines(body, { method: "GET", path: request.path });
    },
    token: async (signal) => {
      const { headers } = await routeOf(connection, signal);
      return /^Bearer +(.+)$/i.exec(headers.Authorization ?? "")?.[1];
    },
    close: () => connection.close(),
  };
}

function queryOf({ query = {} }: ApiCall): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

/** Throws ApiError when it is too large. */
export async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new ApiError(0, "the answer is too large; narrow the question with -l");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString("utf8");
}

/** A Status of the API server, a problem of the REST face, or a refusal of the evidence service. */
export function messageIn(text: string): string | undefined {
  try {
    const { detail, message } = JSON.parse(text) as { readonly detail?: unknown; readonly message?: unknown };
    const told = message ?? detail;
    return typeof told === "string" && told !== "" ? told.slice(0, MAX_MESSAGE) : undefined;
  } catch {
    return undefined; // a proxy's page: the status says enough
  }
}

function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  const found = code ?? cause?.code;
  return typeof found === "string" ? ` (${found})` : "";
}
