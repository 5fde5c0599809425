// Calls to providers' APIs as bytes: what is sent, what an ending is, and how an answer is read whole and within bounds.
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { AnswerFault } from "../outbound/fault.ts";
import { joinHeaders } from "../outbound/outbound.ts";

export interface WireRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface WireAnswer {
  readonly ending: "answered";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when it did not come whole; `flaw` is the word for why. */
  readonly bytes: Uint8Array | undefined;
  readonly flaw: string | undefined;
}

export type WireEnding =
  /** No connection, or it was not used. */
  | { readonly ending: "not-sent"; readonly code: string }
  | WireAnswer
  /** The request may have left, and no status line came back. */
  | { readonly ending: "lost"; readonly code: string };

/** Of the body that came, in bytes. */
export function sizeOf(ending: WireEnding): number {
  return ending.ending === "answered" ? (ending.bytes?.byteLength ?? 0) : 0;
}

/** Never rejects. `wordOf` says why the body did not come. */
export async function readAnswer(
  answer: Dispatcher.ResponseData,
  wordOf: (error: unknown) => string,
): Promise<WireAnswer> {
  const { statusCode: status } = answer;
  const headers = joinHeaders(answer.headers);
  try {
    return { ending: "answered", status, headers, bytes: await readBody(answer.body, headers), flaw: undefined };
  } catch (error) {
    const word = wordOf(error);
    // An end in the middle of a body has two names, by how much of it was there.
    return { ending: "answered", status, headers, bytes: undefined, flaw: word === "closed" ? "truncated" : word };
  }
}

const MAX_BYTES = 1_048_576;

/** Throws an AnswerFault when the body is compressed or longer than 1 MiB, or what the connection throws. */
async function readBody(body: Readable, headers: Readonly<Record<string, string>>): Promise<Uint8Array> {
  try {
    const encoding = headers["content-encoding"] ?? "identity";
    if (encoding.toLowerCase() !== "identity") throw new AnswerFault("encoded-answer", "it is compressed");

    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new AnswerFault("answer-too-large", `it is longer than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    body.on("error", () => undefined); // an end that we ask for is no error
    body.destroy();
  }
}
