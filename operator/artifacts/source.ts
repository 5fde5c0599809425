// Where the bytes of one output come from: a guarded download, or the provider's answer itself.
import { Readable } from "node:stream";
import { wordFor } from "../outbound/fault.ts";
import type { Credential, GetOrder, Outbound } from "../outbound/outbound.ts";
import type { UrlRules } from "../outbound/url.ts";
import { judgeAnswer, lengthOf, totalOfRange } from "./answer.ts";
import type { Framing } from "./answer.ts";
import { decodeDataUrl, isDataUrl } from "./data-url.ts";
import { unusable } from "./ending.ts";
import type { Ending } from "./ending.ts";
import { Interruption } from "./interruption.ts";

export interface Source {
  readonly outcome: "open";
  readonly framing: Framing;
  /** Errors are Interruptions. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Asks the sender a second time how long the output is; undefined when it does not tell. */
  readonly askLength: () => Promise<number | undefined>;
  /** Ends the transfer. Harmless after its end. */
  readonly close: () => void;
}

export interface SourceOrder {
  /** A secret: it may be signed. */
  readonly url: string;
  /** The output's name, for messages. */
  readonly name: string;
  readonly outbound: Outbound;
  readonly rules: UrlRules;
  readonly credential: Credential | undefined;
  readonly dataUrlBytes: number;
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/** Our own stall watch comes first; the connection's limit is the second net. */
const SLACK_MS = 5_000;

export async function openSource(order: SourceOrder): Promise<Source | Ending> {
  if (isDataUrl(order.url)) return openData(order);
  const answer = await get(order, {});
  const judged = judgeAnswer(answer);
  if (judged.outcome !== "open") {
    answer.destroy();
    return judged;
  }
  return {
    outcome: "open",
    framing: judged.framing,
    chunks: chunksOf(answer.body, order.signal),
    askLength: () => askLength(order),
    close: () => answer.destroy(),
  };
}

function openData({ url, name, dataUrlBytes }: SourceOrder): Source | Ending {
  const decoded = decodeDataUrl(url, dataUrlBytes);
  if (decoded.outcome === "refused") return unusable(name, decoded.why);
  const { bytes } = decoded;
  return {
    outcome: "open",
    framing: { by: "length", bytes: bytes.length },
    chunks: Readable.from([bytes]),
    askLength: () => Promise.resolve(bytes.length),
    close: () => undefined,
  };
}

async function* chunksOf(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    signal.throwIfAborted();
    throw new Interruption(wordFor(error));
  }
}

/** HEAD, and where that is not answered, a range behind all that can be: both tell the length without sending it. */
async function askLength(order: SourceOrder): Promise<number | undefined> {
  const head = await get(order, { method: "HEAD" });
  head.destroy();
  const length = head.status === 200 ? lengthOf(head.headers) : undefined;
  if (length !== undefined) return length;
  const part = await get(order, { headers: { range: "bytes=0-0" } });
  part.destroy();
  return part.status === 206 ? totalOfRange(part.headers) : undefined;
}

async function get(order: SourceOrder, how: Pick<GetOrder, "method" | "headers">): ReturnType<Outbound["get"]> {
  const { url, rules, credential, stallMs, signal } = order;
  const limits = { headersTimeoutMs: stallMs, bodyGapMs: stallMs + SLACK_MS };
  try {
    return await order.outbound.get({ url, rules, credential, signal, ...limits, ...how });
  } catch (error) {
    signal.throwIfAborted();
    throw new Interruption(wordFor(error));
  }
}
