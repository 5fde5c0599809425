// Sends one request and judges the status of its answer: once, without repetition. Knows paths, not kinds.
import type { Dispatcher } from "undici";
import { readError, type Call } from "./answers.ts";
import { asError, orAborted, type Clock } from "./clock.ts";
import type { Connection } from "./connection.ts";
import { TerminalError, TermOver } from "./errors.ts";

export interface KubeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From /api or /apis on; percent-encoded already (see pathOf). */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Of the body; "application/json" unless said otherwise. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestMetrics {
  /** `code` is the HTTP status, or "<error>" when there was no answer. */
  answered(call: {
    readonly method: string;
    readonly host: string;
    readonly code: string;
    readonly seconds: number;
  }): void;
}

export interface SenderDeps {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly metrics: RestMetrics | undefined;
  readonly userAgent: string;
}

export type Send = (
  request: KubeRequest,
  signal: AbortSignal,
  mayWrite?: () => boolean,
) => Promise<AsyncIterable<Buffer>>;

/** Resolves with the body of a success; rejects with the server's fault, TermOver, or whatever the connection throws. */
export function makeSender(deps: SenderDeps): Send {
  const { connection, clock, metrics, userAgent } = deps;

  return async (request, signal, mayWrite) => {
    const body = bodyOf(request);
    const { dispatcher, origin, prefix, headers } = await orAborted(connection.route(), signal);
    if (mayWrite?.() === false) throw new TermOver(request.method, request.path);
    const startedMs = clock.monotonicMs();
    const answered = (code: string): void => {
      const seconds = (clock.monotonicMs() - startedMs) / 1000;
      metrics?.answered({ method: request.method, host: new URL(origin).host, code, seconds });
    };

    let answer: Dispatcher.ResponseData;
    try {
      const path = `${prefix}${request.path}${queryOf(request)}`;
      const given = { ...headersOf(request), "user-agent": userAgent, ...headers };
      answer = await exchange(dispatcher, { origin, path, method: request.method, headers: given, body }, signal);
    } catch (error) {
      answered("<error>");
      throw error;
    }
    answered(String(answer.statusCode));
    connection.heard();
    if (answer.statusCode < 300) return answer.body;

    if (answer.statusCode === 401) connection.distrust();
    const retryAfter = answer.headers["retry-after"];
    throw await readError(
      answer.body,
      { status: answer.statusCode, retryAfter: typeof retryAfter === "string" ? retryAfter : undefined },
      callOf(request),
    );
  };
}

/**
 * Breaking off a call over HTTP/2 whose body is on its way makes Node write without end, in native code that no signal reaches:
 * all of a core, and all memory (measured with Node 24.21 and undici 8.13). So only the wait for such a call is broken off, and
 * the call itself ends with its answer or its connection; from the answer on, its body is sent and it may be broken off.
 */
export async function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.RequestOptions,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  if (options.body === null) return dispatcher.request({ ...options, signal });

  signal.throwIfAborted();
  const answering = dispatcher.request(options);
  try {
    const answer = await orAborted(answering, signal);
    const { body } = answer;
    const breakOff = (): void => void body.destroy(asError(signal.reason));
    signal.addEventListener("abort", breakOff, { once: true });
    body.once("close", () => signal.removeEventListener("abort", breakOff));
    return answer;
  } catch (error) {
    answering.then(({ body }) => body.dump()).catch(() => undefined); // nobody waits for it any more
    throw error;
  }
}

function bodyOf(request: KubeRequest): string | null {
  if (request.body === undefined) return null;
  try {
    return JSON.stringify(request.body);
  } catch (error) {
    throw new TerminalError(`cannot ${request.method} ${request.path}: its body cannot be written as JSON`, error);
  }
}

export function callOf(request: KubeRequest): Call {
  return { method: request.method, path: request.path };
}

function headersOf(request: KubeRequest): Record<string, string> {
  const body = request.body === undefined ? {} : { "content-type": request.contentType ?? "application/json" };
  return { accept: "application/json", ...body, ...request.headers };
}

function queryOf(request: KubeRequest): string {
  const pairs = Object.entries(request.query ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}
