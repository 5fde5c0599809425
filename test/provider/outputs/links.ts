// Signed URLs of outputs: anybody who has one may fetch, until it expires.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Job } from "../record/jobs.ts";
import type { ProviderRecord } from "../record/record.ts";
import { hasFault, type Output } from "./output.ts";

const SOON_MS = 1_000;

/** The URL that a query made at `nowMs` shows. */
export function linkTo(
  record: ProviderRecord,
  job: Job,
  output: Output,
  { origin, nowMs }: { readonly origin: string; readonly nowMs: number },
): string {
  const expires = expiryOf(record, job, output, nowMs);
  const path = `/v1/outputs/${job.outputToken}/${encodeURIComponent(output.name)}`;
  const signature = sign(record.settings.urlKey(), job.outputToken, output.name, expires);
  return `${origin}${path}?expires=${expires}&signature=${signature}`;
}

export type LinkCheck = "valid" | "expired" | "forged";

export function checkLink(
  record: ProviderRecord,
  { token, name, query, nowMs }: { token: string; name: string; query: URLSearchParams; nowMs: number },
): LinkCheck {
  const expires = Number(query.get("expires"));
  const given = Buffer.from(query.get("signature") ?? "");
  const right = Buffer.from(sign(record.settings.urlKey(), token, name, expires));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return "forged";
  return nowMs <= expires ? "valid" : "expired";
}

function expiryOf(record: ProviderRecord, job: Job, output: Output, nowMs: number): number {
  const { refreshUrls, outputTtlMs } = record.settings.config();
  const finishedMs = job.finishedMs ?? nowMs;
  const signedMs = refreshUrls ? nowMs : finishedMs;

  if (hasFault(output, "always-expired")) return finishedMs - 1;
  if (hasFault(output, "expires-soon")) return signedMs + SOON_MS;
  const first = !refreshUrls || record.requests.queriesSince(job.id, finishedMs) <= 1;
  if (hasFault(output, "expired-url") && first) return finishedMs - 1;
  return signedMs + outputTtlMs;
}

function sign(urlKey: string, token: string, name: string, expires: number): string {
  return createHmac("sha256", urlKey).update(`${token}/${name}?${expires}`).digest("hex").slice(0, 32);
}
