// A provider's answer as expressions see it, and the endings of a call that tell nothing.
import { readJson } from "./json.ts";
import type { Variables } from "./expression.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { WireAnswer, WireEnding } from "./wire.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when there was none, or it was no JSON. */
  readonly body: unknown;
}

/** The body is JSON or nothing. */
export function replyOf({ status, headers, bytes }: WireAnswer): Reply {
  return { status, headers, body: bytes && readJson(bytes) };
}

/** What expressions over an answer see: the variables of the request, and `response`. */
export function withReply(variables: Variables, { status, headers, body }: Reply): Variables {
  return { ...variables, response: { status: BigInt(status), headers, body: body ?? null } };
}

export const isSuccess = ({ status }: { readonly status: number }): boolean => status >= 200 && status <= 299;

/** The provider refuses us: the credential, the balance or the right to spend it. */
export const isLockedOut = ({ status }: { readonly status: number }): boolean =>
  status === 401 || status === 402 || status === 403;

/** What an ordinary API says of a thing that it does not have: a bare 404 may as well come from something on the way. */
export const isAbsence = ({ status, body }: Reply): boolean =>
  (status === 404 || status === 410) && typeof body === "object" && body !== null;

/** Nothing was learned about the job. */
export interface Unanswered {
  readonly outcome: "unanswered";
  readonly code: string;
  readonly retryAfterMs: number | undefined;
}

export const unanswered = (code: string): Unanswered => ({ outcome: "unanswered", code, retryAfterMs: undefined });

/** An ending that is no success, for calls that may be repeated. */
export function failureOf(ending: WireEnding, now: Date): Unanswered {
  if (ending.ending !== "answered") return unanswered(ending.code);
  if (isSuccess(ending)) return unanswered(ending.flaw ?? "unreadable-answer");
  const isThrottle = ending.status === 429 || ending.status === 503;
  return {
    outcome: "unanswered",
    code: `status-${ending.status}`,
    retryAfterMs: isThrottle ? retryAfterMs(replyOf(ending), now) : undefined,
  };
}
