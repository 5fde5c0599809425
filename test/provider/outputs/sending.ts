// Sends bytes as planned: with which framing, at which pace, and how it ends; and reports exactly what left.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { staySilent, waited } from "../faults/wire.ts";
import { unreachable } from "../unreachable.ts";

/** What leaves for one fetch, and how. */
export interface Sending {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly source: Iterable<Buffer>;
  /** How the client is told the end: by a length, by chunks, or by nothing but the end of the connection. */
  readonly framing: { readonly by: "length"; readonly bytes: number } | { readonly by: "chunks" | "close" };
  readonly ending: "complete" | "cut" | "reset" | "silence";
  readonly everyMs?: number;
}

export interface Sent {
  readonly bytes: number;
  readonly sha256: string;
  /** Whether all of `source` was written while the client was there. */
  readonly whole: boolean;
}

/** A reset throws away what is still on its way; this long before it, the bytes have arrived. */
const ARRIVAL_MS = 50;

export async function send(response: ServerResponse, sending: Sending, signal: AbortSignal): Promise<Sent> {
  const { socket } = response;
  const hash = createHash("sha256");
  if (!socket) return { bytes: 0, sha256: hash.digest("hex"), whole: false };

  const sink = begin(response, socket, sending);
  let bytes = 0;
  let whole = true;
  for (const chunk of sending.source) {
    whole = await push(sink, socket, chunk, signal);
    if (!whole) break;
    bytes += chunk.length;
    hash.update(chunk);
    if (sending.everyMs !== undefined) await waited(socket, sending.everyMs, signal);
  }
  const ended = await end(sink, socket, whole ? sending.ending : "cut", signal);
  return { bytes, sha256: hash.digest("hex"), whole: whole && ended };
}

function begin(response: ServerResponse, socket: Socket, { status, headers, framing }: Sending): Writable {
  if (framing.by !== "close") {
    const length = framing.by === "length" ? { "content-length": String(framing.bytes) } : {};
    response.writeHead(status, { ...headers, ...length });
    response.flushHeaders();
    return response;
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}connection: close\r\n\r\n`);
  return socket;
}

/** Writes and waits until more fits; false once the client is gone. */
async function push(sink: Writable, socket: Socket, chunk: Buffer, signal: AbortSignal): Promise<boolean> {
  if (socket.destroyed) return false;
  if (sink.write(chunk)) return true;

  const gone = new AbortController();
  const leave = (): void => {
    gone.abort();
  };
  socket.once("close", leave);
  try {
    await once(sink, "drain", { signal: AbortSignal.any([signal, gone.signal]) });
    return true;
  } catch {
    return false;
  } finally {
    socket.off("close", leave);
  }
}

/** Resolves to whether the client was there to the end. */
async function end(sink: Writable, socket: Socket, ending: Sending["ending"], signal: AbortSignal): Promise<boolean> {
  switch (ending) {
    case "complete":
      return finished(sink, socket);
    case "cut":
      socket.end();
      return !socket.destroyed;
    case "reset":
      await waited(socket, ARRIVAL_MS, signal);
      socket.resetAndDestroy();
      return true;
    case "silence":
      await staySilent(socket, signal);
      return true;
    default:
      return unreachable(ending);
  }
}

function finished(sink: Writable, socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const gone = (): void => {
      resolve(false);
    };
    socket.once("close", gone);
    sink.end(() => {
      socket.off("close", gone);
      resolve(true);
    });
  });
}
