// The signature of Standard Webhooks 1.0: HMAC-SHA256 over "id.timestamp.body" with the decoded secret.
import { createHmac } from "node:crypto";

export interface Message {
  readonly id: string;
  /** Unix seconds of this very attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/** The value of `webhook-signature`. `secret` is "whsec_" and base64. */
export function signatureOf(secret: string, { id, timestamp, body }: Message): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const digest = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return `v1,${digest}`;
}
