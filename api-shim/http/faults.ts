// Whatever went wrong, as a problem: what the framework refuses, what ran out of time, and what nobody foresaw.
import type { Socket } from "node:net";
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { clusterUnavailable } from "../access/door.ts";
import { Problem, PROBLEM_TYPE, bodyOf, type ProblemCode } from "../problems.ts";
import { BODY_LIMITS } from "./body.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** The framework's words that have a meaning of ours. */
const FRAMEWORK: Readonly<Record<string, Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Problem("body-too-large", {
    detail: `cannot take the body: it is larger than ${BODY_LIMITS.bytes} bytes; upload large values and pass their URLs`,
  }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new Problem("unsupported-media-type", {
    detail: "cannot read the body: send it as Content-Type: application/json",
  }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Problem("invalid-request", {
    detail: "cannot read the body: its length is not what Content-Length says",
  }),
  FST_ERR_BAD_URL: new Problem("invalid-request", { detail: "cannot read the path: it is not a valid URL" }),
};

/** An unforeseen one is `internal`, with the error as its cause: to be logged, and not answered. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = Object.hasOwn(FRAMEWORK, code) ? FRAMEWORK[code] : undefined;
  if (known) return known;
  if (error instanceof DOMException && error.name === "TimeoutError") return clusterUnavailable(error);
  if (isRefusal(error))
    return new Problem("invalid-request", { detail: "cannot read the request: it is not as it must be" });
  const detail = "cannot answer: something is broken here; the log has it under the instance of this problem";
  return new Problem("internal", { detail }, error);
}

/** The framework finds that the request is at fault, for a reason that has no word here. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 0;
  return status >= 400 && status < 500;
}

const BROKEN: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem("header-too-large", {
    detail: `cannot read the request: its headers are larger than ${HTTP_LIMITS.headerBytes} bytes, or more than ${HTTP_LIMITS.headers}`,
  }),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem("request-timeout", {
    detail: "cannot wait any longer for the request: send it at once",
  }),
};
const UNREADABLE = new Problem("invalid-request", { detail: "cannot read the request: it is not valid HTTP/1.1" });

/** Answers what could not even be read as a request, where an answer can still be given, and hangs up. */
export function answerBroken(
  error: Error & { readonly code?: string },
  socket: Socket,
  told: (code: ProblemCode) => void,
): void {
  const { _httpMessage: answering } = socket as Socket & { readonly _httpMessage?: { readonly headersSent: boolean } };
  if (error.code === "ECONNRESET" || !socket.writable || answering?.headersSent) {
    socket.destroy();
    return;
  }
  const problem = BROKEN[error.code ?? ""] ?? UNREADABLE;
  told(problem.code);
  const body = JSON.stringify(bodyOf(problem, randomUUID()));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ""}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
