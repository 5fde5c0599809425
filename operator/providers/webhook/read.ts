// What a webhook is taken to say: that there is news of a job, and perhaps which job it is. Nothing that it says of the job itself
// is believed: the provider is asked.
import type { ProviderJobId } from "../../task/brand.ts";
import type { WebhookSignature } from "../../task/webhook-resource.ts";
import { deepestOf } from "../effort.ts";
import type { Expression } from "../expression.ts";
import { jobIdOf } from "../job-id.ts";
import { readJson } from "../json.ts";
import type { Reading } from "../reading.ts";
import { verifySignature, type Received, type VerificationKeys } from "./signature.ts";

export interface WebhookReading {
  /** "heard" counts; all others change nothing. */
  readonly verdict: "heard" | "unexpected" | "forged" | "stale" | "unverifiable";
  readonly jobId: ProviderJobId | undefined;
}

export interface WebhookReader {
  readonly signature: WebhookSignature | undefined;
  readonly jobID: Expression | undefined;
}

export function readWebhook(
  reader: WebhookReader,
  keys: VerificationKeys,
  received: Received,
  reading: Reading,
): WebhookReading {
  const verdict = reader.signature ? verifySignature(reader.signature, keys, received) : "signed";
  if (verdict !== "signed") return { verdict, jobId: undefined };
  return { verdict: "heard", jobId: jobIdIn(reader, received, reading) };
}

function jobIdIn(reader: WebhookReader, received: Received, reading: Reading): ProviderJobId | undefined {
  const effort = { loops: deepestOf([reader.jobID]), bytes: received.body.length };
  return reading.read<ProviderJobId | undefined>(effort, undefined, () => jobIn(reader, received));
}

function jobIn({ jobID }: WebhookReader, { body, headers }: Received): ProviderJobId | undefined {
  try {
    return jobIdOf(jobID?.({ webhook: { headers, body: readJson(body) ?? null } }));
  } catch {
    return undefined; // it asks for what this message does not hold
  }
}
