// Why a call to the outside did not succeed, as stable words. Judged by types and codes, never by message text;
// no message holds a URL, a header or a body.

/** Every one of these is raised before a connection existed: nothing of the request can have left this process. */
export type NotSentCode =
  | "guard-url"
  | "guard-scheme"
  | "guard-userinfo"
  | "guard-host"
  | "guard-address"
  | "guard-redirects"
  | "name-not-found"
  | "name-failed"
  | "connect-refused"
  | "connect-timeout"
  | "connect-failed"
  | "connect-lost"
  | "tls-timeout"
  | "tls-certificate"
  | "tls-failed"
  | "aborted";

export class NotSentFault extends Error {
  readonly code: NotSentCode;

  constructor(code: NotSentCode, detail: string, cause?: unknown) {
    super(`cannot send the request: ${detail}`, cause === undefined ? {} : { cause });
    this.name = "NotSentFault";
    this.code = code;
  }

  /** Refused by our own rules rather than by the network: the same request will be refused again. */
  get isRefusal(): boolean {
    return this.code.startsWith("guard-");
  }
}

/** An answer that we do not take although it came. */
export type AnswerFaultCode = "headers-timeout" | "deadline" | "encoded-answer" | "answer-too-large";

export class AnswerFault extends Error {
  readonly code: AnswerFaultCode;

  constructor(code: AnswerFaultCode, detail: string) {
    super(`cannot take the answer: ${detail}`);
    this.name = "AnswerFault";
    this.code = code;
  }
}

const WORDS: ReadonlyMap<unknown, string> = new Map([
  ["ECONNRESET", "reset"],
  ["EPIPE", "reset"],
  ["UND_ERR_SOCKET", "closed"],
  ["UND_ERR_HEADERS_TIMEOUT", "headers-timeout"],
  ["UND_ERR_BODY_TIMEOUT", "body-timeout"],
  ["UND_ERR_HEADERS_OVERFLOW", "answer-too-large"],
  ["UND_ERR_RES_EXCEEDED_MAX_SIZE", "answer-too-large"],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "truncated"],
  ["UND_ERR_DESTROYED", "closing"],
  ["UND_ERR_CLOSED", "closing"],
  // By name: their codes are a number, or differ from one library to the next.
  ["AbortError", "aborted"],
  ["TimeoutError", "aborted"],
  ["HTTPParserError", "garbled"],
]);

/** A stable word for whatever a call to the outside threw: `reset`, `headers-timeout`, `guard-address`, …; `broken` when none fits. */
export function wordFor(error: unknown): string {
  if (error instanceof NotSentFault || error instanceof AnswerFault) return error.code;
  if (typeof error !== "object" || error === null) return "broken";
  const { code, name } = error as Partial<NodeJS.ErrnoException>;
  return WORDS.get(code) ?? WORDS.get(name) ?? "broken";
}
