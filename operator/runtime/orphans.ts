// A guard against a fault of HTTP/2 in Node: when a call is broken off just before its answer begins, the late headers
// make a stream that nobody asked for, nobody listens to, and nobody ends. The next fault of its connection would be an
// error without a listener: the end of the process. Touches no stream that somebody asked for.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientHttp2Stream } from "node:http2";

const CREATED = "http2.client.stream.created";

/** From now on orphans are ended quietly. Returns how to stop that. */
export function endOrphans(): () => void {
  subscribe(CREATED, endIfOrphan);
  return () => void unsubscribe(CREATED, endIfOrphan);
}

function endIfOrphan(message: unknown): void {
  const { stream } = message as { readonly stream: ClientHttp2Stream };
  const isAskedFor = (stream.sentHeaders as unknown) !== undefined;
  if (isAskedFor) return;
  stream.on("error", () => undefined);
  stream.close();
}
