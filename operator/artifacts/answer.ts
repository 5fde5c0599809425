// What the head of the answer to a download says, before a byte of its body is read.
import { retryAfterMs } from "../outbound/retry-after.ts";
import type { Ending } from "./ending.ts";
import { EXPIRED, interrupted } from "./ending.ts";

type Headers = Readonly<Record<string, string>>;

export interface AnswerHead {
  readonly status: number;
  readonly headers: Headers;
}

/** How the end of the body is known. A close-delimited body that was cut looks complete (measured). */
export type Framing =
  { readonly by: "length"; readonly bytes: number } | { readonly by: "chunks" } | { readonly by: "close" };

export type Judged = { readonly outcome: "open"; readonly framing: Framing } | Ending;

/** 403, 404 and 410 mean that the URL no longer serves; everything else but a plain 200 may pass. */
export function judgeAnswer(answer: AnswerHead): Judged {
  const { status, headers } = answer;
  if (status === 403 || status === 404 || status === 410) return EXPIRED;
  // No clock of ours is compared with theirs.
  if (status !== 200) return interrupted(`status-${status}`, retryAfterMs(headers));

  return { outcome: "open", framing: framingOf(headers) };
}

function framingOf(headers: Headers): Framing {
  if (headers["transfer-encoding"]?.toLowerCase().includes("chunked") === true) return { by: "chunks" };
  const length = headers["content-length"];
  return length !== undefined && /^\d{1,15}$/.test(length) ? { by: "length", bytes: Number(length) } : { by: "close" };
}

/** The total that a content-range header tells, as in `bytes 0-1/123`. */
export function totalOfRange(headers: Headers): number | undefined {
  const total = /\/(\d{1,15})$/.exec(headers["content-range"] ?? "")?.[1];
  return total === undefined ? undefined : Number(total);
}

export function lengthOf(headers: Headers): number | undefined {
  const framing = framingOf(headers);
  return framing.by === "length" ? framing.bytes : undefined;
}
