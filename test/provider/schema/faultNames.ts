// The words for every way in which this provider can misbehave. Names only: what each does is in ../faults/.
import { z } from "zod";

export const SubmitFault = z.enum([
  "none",
  "slow-accept",
  "slow-headers",
  "rate-limited-header",
  "rate-limited-body",
  "over-limit",
  "server-error-before",
  "bad-gateway-before",
  "unavailable-before",
  "gateway-timeout-before",
  "reset-before",
  "close-before",
  "silence-before",
  "invalid",
  "unauthorised",
  "no-credit",
  "moderated",
  "conflict",
  "not-found",
  "redirect",
  "server-error-after",
  "bad-gateway-after",
  "unavailable-after",
  "gateway-timeout-after",
  "request-timeout-after",
  "reset-after",
  "close-after",
  "silence-after",
  "garbage-after",
  "html-after",
  "truncated-after",
  "empty-after",
  "no-id-after",
]);
export type SubmitFault = z.infer<typeof SubmitFault>;

export const QueryFault = z.enum([
  "none",
  "rate-limited",
  "server-error",
  "html-502",
  "empty",
  "truncated",
  "reset",
  "silence",
  "not-found-transient",
  "unauthorised",
  "unknown-status",
  "odd-case",
  "american-cancelled",
  "done-without-output",
  "outputs-late",
  "progress-back",
  "stuck-running",
]);
export type QueryFault = z.infer<typeof QueryFault>;

export const ListFault = z.enum([
  "none",
  "rate-limited",
  "server-error",
  "html-502",
  "empty",
  "truncated",
  "reset",
  "silence",
  "not-found",
  "no-items",
]);
export type ListFault = z.infer<typeof ListFault>;

export const CancelFault = z.enum(["none", "ignored", "server-error", "already-completed", "late", "reset", "silence"]);
export type CancelFault = z.infer<typeof CancelFault>;

export const OutputFault = z.enum([
  "none",
  "expired-url",
  "always-expired",
  "expires-soon",
  "not-found",
  "server-error",
  "truncated-length",
  "truncated-close",
  "mislabelled-html",
  "mislabelled-wav",
  "wrong-magic",
  "wrong-type",
  "octet-stream",
  "oversized",
  "endless",
  "slow",
  "stall",
  "gzip-bomb",
  "redirect-private",
  "redirect-metadata",
  "redirect-other-host",
  "redirect-other-port",
  "redirect-loop",
  "reset-midway",
  "reset-once",
  "corrupt-container",
]);
export type OutputFault = z.infer<typeof OutputFault>;

export const WebhookFault = z.enum([
  "duplicate",
  "late",
  "lost",
  "before-answer",
  "forged-job",
  "forged-signature",
  "reordered",
]);
export type WebhookFault = z.infer<typeof WebhookFault>;
