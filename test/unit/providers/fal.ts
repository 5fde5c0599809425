// A webhook as fal signs it: Ed25519 over four lines, the last of which is the hash of the body.
import { createHash, sign, type KeyObject } from "node:crypto";

export function falHeaders(privateKey: KeyObject, body: Buffer, timestamp: string): Readonly<Record<string, string>> {
  const digest = createHash("sha256").update(body).digest("hex");
  const message = Buffer.from(["r1", "u1", timestamp, digest].join("\n"));
  return {
    "x-fal-webhook-request-id": "r1",
    "x-fal-webhook-user-id": "u1",
    "x-fal-webhook-timestamp": timestamp,
    "x-fal-webhook-signature": sign(null, message, privateKey).toString("hex"),
  };
}
