// Bytes from the API server to values, within limits: whole bodies, lines of a watch, and Status objects as errors.
import { KubeError, type KubeErrorDetails } from "./errors.ts";

export type Call = Pick<KubeErrorDetails, "method" | "path">;

// A page of 500 objects of the largest size etcd takes would be larger; a page that large is a fault, not a wish.
const MAX_BODY_BYTES = 256 * 1024 * 1024;
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const MAX_STATUS_BYTES = 64 * 1024;
const MAX_RETRY_AFTER_MS = 600_000;
const NEWLINE = 0x0a;

type Bytes = AsyncIterable<Buffer>;

/** The whole body as JSON; undefined when it is empty. */
export async function readJson(body: Bytes, call: Call): Promise<unknown> {
  const bytes = await readAll(body, MAX_BODY_BYTES, call);
  return bytes.length === 0 ? undefined : parse(bytes, call);
}

/** One value per line. A last line without its end is a fault: the object in it may be cut. */
export async function* readLines(body: Bytes, call: Call): AsyncGenerator<unknown, void, undefined> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const tail = chunk.subarray(start, end);
      const line = pendingBytes === 0 ? tail : Buffer.concat([...pending, tail]);
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      if (line.length > 0) yield parse(line, call);
    }
    if (start < chunk.length) {
      pending.push(chunk.subarray(start));
      pendingBytes += chunk.length - start;
      if (pendingBytes > MAX_LINE_BYTES) throw new KubeError({ ...call, status: 0, reason: "TooLarge" });
    }
  }
  if (pendingBytes > 0) throw new KubeError({ ...call, status: 0, reason: "BadAnswer" });
}

/** Reads an answer that is no success. */
export async function readError(
  body: Bytes,
  answer: { status: number; retryAfter: string | undefined },
  call: Call,
): Promise<KubeError> {
  const { status, retryAfter } = answer;
  const known = await readAll(body, MAX_STATUS_BYTES, call)
    .then((bytes) => parse(bytes, call))
    .catch(() => undefined); // a proxy's page, or a cut answer: the status code says enough
  const error = errorOfStatus(known, call, status);
  return new KubeError({
    ...call,
    status,
    reason: error.reason,
    causes: error.causes,
    retryAfterMs: millisecondsOf(retryAfter) ?? error.retryAfterMs,
  });
}

interface WireStatus {
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown; readonly causes?: unknown };
}

/** A Status object, as an answer or inside a watch. */
export function errorOfStatus(value: unknown, call: Call, fallbackStatus = 0): KubeError {
  const { code, reason, details } = (typeof value === "object" && value !== null ? value : {}) as WireStatus;
  const status = typeof code === "number" ? code : fallbackStatus;
  return new KubeError({
    ...call,
    status,
    reason: typeof reason === "string" && /^\w{1,64}$/.test(reason) ? reason : `Status${status}`,
    causes: causesOf(details?.causes),
    retryAfterMs: millisecondsOf(details?.retryAfterSeconds),
  });
}

function causesOf(causes: unknown): readonly string[] {
  if (!Array.isArray(causes)) return [];
  return causes
    .slice(0, 10)
    .map((cause: unknown) => (cause as { readonly reason?: unknown } | null)?.reason)
    .filter((reason): reason is string => typeof reason === "string" && reason.length <= 64);
}

function millisecondsOf(retryAfterSeconds: unknown): number | undefined {
  const seconds = Number(retryAfterSeconds ?? NaN);
  return seconds > 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : undefined;
}

async function readAll(body: Bytes, maxBytes: number, call: Call): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new KubeError({ ...call, status: 0, reason: "TooLarge" });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

function parse(bytes: Buffer, call: Call): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    // The parser's own message would quote the body.
    throw new KubeError({ ...call, status: 0, reason: "BadAnswer" });
  }
}
