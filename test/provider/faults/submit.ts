// What each submit fault is: whether the job is made, and what the client sees of it.
import { json, html, refusal, whole, type Delivery, type Reply } from "../api/reply.ts";
import type { SubmitFault } from "../schema/faultNames.ts";

/** A fault before the job is made has its own answer; one after it spoils the true answer. */
export type SubmitFaultEffect =
  | { readonly moment: "before"; readonly delivery: Delivery }
  | { readonly moment: "after"; readonly deliver: (truth: Reply, lateMs: number) => Delivery };

const RETRY_AFTER_S = 1;

const before = (delivery: Delivery): SubmitFaultEffect => ({ moment: "before", delivery });
const refused = (status: number, code: string, message: string): SubmitFaultEffect =>
  before(whole(refusal(status, code, message)));
const after = (deliver: (truth: Reply, lateMs: number) => Delivery): SubmitFaultEffect => ({
  moment: "after",
  deliver,
});
const afterwards = (delivery: Delivery): SubmitFaultEffect => after(() => delivery);

const SERVER_ERROR = whole(refusal(500, "internal", "something went wrong"));
const BAD_GATEWAY = whole(html(502, "502 Bad Gateway"));
const UNAVAILABLE = whole(refusal(503, "unavailable", "try again later"));
const GATEWAY_TIMEOUT = whole(html(504, "504 Gateway Time-out"));
const TOO_MANY = "too many requests";

export const SUBMIT_FAULTS: Readonly<Record<SubmitFault, SubmitFaultEffect>> = {
  none: after(whole),
  "slow-accept": after((reply, afterMs) => ({ how: "whole", reply, afterMs })),
  "slow-headers": after((reply, overMs) => ({ how: "dripped", reply, overMs })),

  "rate-limited-header": before(
    whole(json(429, { error: { code: "rate_limited", message: TOO_MANY } }, { "retry-after": String(RETRY_AFTER_S) })),
  ),
  "rate-limited-body": before(whole(refusal(429, "rate_limited", TOO_MANY, { retry_after: RETRY_AFTER_S }))),
  "over-limit": refused(429, "too_many_concurrent", "too many jobs in flight"),
  "server-error-before": before(SERVER_ERROR),
  "bad-gateway-before": before(BAD_GATEWAY),
  "unavailable-before": before(UNAVAILABLE),
  "gateway-timeout-before": before(GATEWAY_TIMEOUT),
  "reset-before": before({ how: "reset" }),
  "close-before": before({ how: "close" }),
  "silence-before": before({ how: "silence" }),
  invalid: refused(422, "invalid_input", "the input is not valid for this model"),
  unauthorised: refused(401, "unauthorised", "the key was revoked"),
  "no-credit": refused(402, "insufficient_credit", "the account has no credit left"),
  moderated: refused(400, "content_policy", "the input violates the content policy"),
  conflict: refused(409, "conflict", "the resource is in another state"),
  "not-found": refused(404, "not_found", "no such endpoint or model"),
  redirect: before(whole({ status: 307, headers: { location: "/v1/moved/jobs" }, body: "" })),

  "server-error-after": afterwards(SERVER_ERROR),
  "bad-gateway-after": afterwards(BAD_GATEWAY),
  "unavailable-after": afterwards(UNAVAILABLE),
  "gateway-timeout-after": afterwards(GATEWAY_TIMEOUT),
  "request-timeout-after": afterwards(whole(refusal(408, "request_timeout", "the request took too long"))),
  "reset-after": afterwards({ how: "reset" }),
  "close-after": afterwards({ how: "close" }),
  "silence-after": afterwards({ how: "silence" }),
  "garbage-after": afterwards({ how: "garbage" }),
  "html-after": afterwards(whole(html(200, "Welcome"))),
  "truncated-after": after((reply) => ({ how: "truncated", reply })),
  "empty-after": after(({ status, headers }) => whole({ status, headers, body: "" })),
  "no-id-after": afterwards(whole(json(201, { state: "queued" }))),
};
