// Puts an answer on the wire, or withholds it, in the way its delivery says. Works on the raw socket where HTTP is to be broken.
import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Delivery, Reply } from "../api/reply.ts";
import type { Outcome } from "../record/requests.ts";
import { unreachable } from "../unreachable.ts";

/** The longest silence: a client without a limit of its own is let go after this. */
export const SILENCE_MS = 600_000;

/** How an exchange ended for the provider; `status` is null where no status line was sent. */
export interface Ended {
  readonly status: number | null;
  readonly outcome: Outcome;
}

const GONE: Ended = { status: null, outcome: "aborted" };

/** Delivers; resolves when nothing more will be sent. `signal` ends any wait. */
export async function deliver(response: ServerResponse, delivery: Delivery, signal: AbortSignal): Promise<Ended> {
  const { socket } = response;
  return socket && !socket.destroyed ? deliverTo(socket, response, delivery, signal) : GONE;
}

async function deliverTo(
  socket: Socket,
  response: ServerResponse,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Ended> {
  switch (delivery.how) {
    case "whole":
      return sendWhole(response, delivery.reply, delivery.afterMs ?? 0, signal);
    case "dripped":
      return drip(socket, delivery.reply, delivery.overMs, signal);
    case "truncated":
      return truncate(socket, delivery.reply);
    case "garbage":
      socket.end("\u0000\u0001 this is not HTTP \u0002\r\n\r\n");
      return { status: null, outcome: "answered" };
    case "reset":
    case "close":
    case "silence":
      return withhold(socket, delivery.how, signal);
    default:
      return unreachable(delivery);
  }
}

async function withhold(socket: Socket, how: "reset" | "close" | "silence", signal: AbortSignal): Promise<Ended> {
  if (how === "reset") socket.resetAndDestroy();
  if (how === "close") socket.end();
  if (how === "silence") await staySilent(socket, signal);
  return { status: null, outcome: "withheld" };
}

async function sendWhole(response: ServerResponse, reply: Reply, afterMs: number, signal: AbortSignal): Promise<Ended> {
  if (afterMs > 0 && !(await waited(response.socket, afterMs, signal))) return GONE;

  response.writeHead(reply.status, { ...reply.headers, "content-length": String(Buffer.byteLength(reply.body)) });
  response.end(response.req.method === "HEAD" ? undefined : reply.body);
  return { status: reply.status, outcome: "answered" };
}

/** The status line at once, the headers one by one: a client that limits only the gap between bytes waits for all of it. */
async function drip(socket: Socket, reply: Reply, overMs: number, signal: AbortSignal): Promise<Ended> {
  const [statusLine = "", ...headers] = headLines(reply, Buffer.byteLength(reply.body));
  const filler = Array.from({ length: 8 }, (_, index) => `x-slow-${index}: slow`);
  const lines = [...filler, ...headers];

  socket.write(`${statusLine}\r\n`);
  for (const line of lines) {
    if (!(await waited(socket, overMs / lines.length, signal))) return GONE;
    socket.write(`${line}\r\n`);
  }
  socket.end(`\r\n${reply.body}`);
  return { status: reply.status, outcome: "answered" };
}

function truncate(socket: Socket, reply: Reply): Ended {
  const bytes = Buffer.from(reply.body);
  socket.write(`${headLines(reply, bytes.length).join("\r\n")}\r\n\r\n`);
  socket.end(bytes.subarray(0, Math.floor(bytes.length / 2)));
  return { status: reply.status, outcome: "answered" };
}

function headLines(reply: Reply, bytes: number): readonly string[] {
  const headers = Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ""}`;
  return [status, ...headers, `content-length: ${bytes}`, "connection: close"];
}

/** Says nothing until the client goes, the provider stops or the bound is reached. */
export async function staySilent(socket: Socket, signal: AbortSignal): Promise<void> {
  await waited(socket, SILENCE_MS, signal);
  socket.destroy();
}

/** Waits as long as the client stays; false if it went, or the provider stops. */
export async function waited(socket: Socket | null, ms: number, signal: AbortSignal): Promise<boolean> {
  if (!socket || socket.destroyed) return false;

  const gone = new AbortController();
  const leave = (): void => {
    gone.abort();
  };
  socket.once("close", leave);
  try {
    await wait(ms, undefined, { signal: AbortSignal.any([signal, gone.signal]) });
    return true;
  } catch {
    return false;
  } finally {
    socket.off("close", leave);
  }
}
