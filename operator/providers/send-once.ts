// One request on one fresh connection, whatever happens: nothing is repeated, redirected or sent over a kept connection.
// The connection is opened first and handed over ready-made: everything before that point was provably not sent, and everything
// after it may have been.
import type { Socket } from "node:net";
import { Client, type buildConnector } from "undici";
import { AnswerFault, NotSentFault, wordFor } from "../outbound/fault.ts";
import { makeLimit } from "../outbound/limit.ts";
import { openSocket, type ConnectPolicy } from "../outbound/socket.ts";
import { portOf } from "../outbound/url.ts";
import { readAnswer, type WireEnding, type WireRequest } from "./wire.ts";

export interface Way {
  readonly policy: ConnectPolicy;
  /** On `monotonicMs`: nothing is sent after it, and nothing is waited for after it. */
  readonly deadlineMs: number;
  readonly monotonicMs: () => number;
}

/** Never rejects. */
export async function sendOnce(request: WireRequest, way: Way, signal: AbortSignal): Promise<WireEnding> {
  const late = new AnswerFault("deadline", "the call's time is up");
  const limit = makeLimit(signal, way.deadlineMs - way.monotonicMs(), () => late);
  try {
    const opened = await open(request.url, way, limit.signal);
    if ("ending" in opened) return limit.signal.reason === late ? { ...opened, code: "connect-timeout" } : opened;

    // A process that was frozen wakes up here, with its timers still to fire: what is late by now must not leave any more.
    if (way.monotonicMs() >= way.deadlineMs || limit.signal.aborted) return unused(opened, "aborted");
    if (opened.destroyed) return unused(opened, "connect-lost");
    return await exchange(request, opened, limit.signal, late);
  } finally {
    limit.clear();
  }
}

type NotSent = Extract<WireEnding, { readonly ending: "not-sent" }>;

async function open(url: URL, way: Way, signal: AbortSignal): Promise<Socket | NotSent> {
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  try {
    return await openSocket({ hostname, port: portOf(url), isSecure: url.protocol === "https:" }, way.policy, signal);
  } catch (error) {
    return { ending: "not-sent", code: error instanceof NotSentFault ? error.code : "connect-failed" };
  }
}

function unused(socket: Socket, code: string): NotSent {
  socket.destroy();
  return { ending: "not-sent", code };
}

async function exchange(
  request: WireRequest,
  socket: Socket,
  signal: AbortSignal,
  late: AnswerFault,
): Promise<WireEnding> {
  const client = new Client(request.url.origin, {
    connect: onlyOnce(socket),
    pipelining: 0, // says "connection: close"
    allowH2: false,
    headersTimeout: 0, // the deadline covers all
    bodyTimeout: 0,
  });
  const wordOf = (error: unknown, phase: string): string => {
    if (signal.aborted) return signal.reason === late ? phase : "aborted";
    return wordFor(error);
  };
  try {
    const answer = await client.request({
      method: request.method,
      path: `${request.url.pathname}${request.url.search}`,
      headers: request.headers,
      body: request.body ?? null,
      signal,
    });
    return await readAnswer(answer, (error) => wordOf(error, "body-timeout"));
  } catch (error) {
    return { ending: "lost", code: wordOf(error, "headers-timeout") };
  } finally {
    void client.destroy();
    socket.destroy();
  }
}

// undici puts a request back into its line when a connection ends in certain ways, and would send it again on a second one.
function onlyOnce(socket: Socket): buildConnector.connector {
  let isTaken = false;
  return (_options, callback) => {
    const isFirst = !isTaken;
    isTaken = true;
    // Later, never at once: undici 8 does not send a request whose connector answers before it has returned.
    queueMicrotask(() => {
      if (isFirst) callback(null, socket);
      else callback(new Error("cannot connect a second time"), null);
    });
  };
}
