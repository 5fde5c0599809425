// Sendings of one output: the true one, and what the output faults are built from.
import { noiseBlock, type Content } from "../media/content.ts";
import type { Sending } from "../outputs/sending.ts";

/** A fetch as it should be answered. `from` and `to` (exclusive) are the part that was asked for. */
export interface Fetch {
  readonly content: Content;
  readonly impostor: Content;
  readonly from: number;
  readonly to: number;
  readonly status: 200 | 206;
  readonly headers: Readonly<Record<string, string>>;
  /** Path and query of this very URL, for redirects to another place that has it. */
  readonly target: string;
  readonly port: number;
  readonly mirrorPort: number;
}

/** Bytes of a known number that take the place of the true ones. */
export interface Replacement {
  readonly bytes: number;
  readonly source: Iterable<Buffer>;
}

const SLOW_PIECE_BYTES = 64;
const SLOW_EVERY_MS = 250;

export function truth({ content, status, headers, from, to }: Fetch): Sending {
  const framing = { by: "length", bytes: to - from } as const;
  return { status, headers, source: content.read(from, to), framing, ending: "complete" };
}

/** Announces all and has half. */
export function half(fetch: Fetch): Sending {
  const middle = fetch.from + Math.ceil((fetch.to - fetch.from) / 2);
  return { ...truth(fetch), source: fetch.content.read(fetch.from, middle) };
}

/** 256 bytes a second. */
export function slowed(fetch: Fetch): Sending {
  const pieces = inPieces(fetch.content.read(fetch.from, fetch.to), SLOW_PIECE_BYTES);
  return { ...truth(fetch), source: pieces, everyMs: SLOW_EVERY_MS };
}

/** Other bytes, of an honest length. Always all of them, whatever part was asked for. */
export function replaced(fetch: Fetch, { bytes, source }: Replacement): Sending {
  return { ...entire(fetch), source, framing: { by: "length", bytes } };
}

/** The true bytes, and then more and more, up to `bytes` in all. */
export function lengthened(fetch: Fetch, bytes: number): Sending {
  return { ...entire(fetch), source: withMore(fetch.content, bytes), framing: { by: "chunks" } };
}

export function labelled(sending: Sending, headers: Readonly<Record<string, string>>): Sending {
  return { ...sending, headers: { ...sending.headers, ...headers } };
}

function entire(fetch: Fetch): Sending {
  const headers = { ...fetch.headers };
  delete headers["content-range"];
  return truth({ ...fetch, status: 200, headers, from: 0, to: fetch.content.bytes });
}

function* inPieces(source: Iterable<Buffer>, bytes: number): Generator<Buffer> {
  for (const chunk of source) {
    for (let at = 0; at < chunk.length; at += bytes) yield chunk.subarray(at, at + bytes);
  }
}

function* withMore(content: Content, bytes: number): Generator<Buffer> {
  yield* content.read(0, content.bytes);
  const noise = noiseBlock("more than declared");
  for (let left = bytes - content.bytes; left > 0; left -= noise.length) yield noise.subarray(0, left);
}
