// What a webhook says, where its keys may not be at hand yet: a message that nothing verifies waits for them, and for a bounded time.
import type { Reading } from "../reading.ts";
import type { KeySet } from "./key-set.ts";
import { readWebhook, type WebhookReader, type WebhookReading } from "./read.ts";
import type { Received } from "./signature.ts";

/** Keys that do not come for so long verify nothing that came before. */
const PATIENCE_MS = 120_000;

function isOverdue({ readAt, receivedAt }: Received): boolean {
  return readAt.getTime() - receivedAt.getTime() > PATIENCE_MS;
}

/** Undefined: not yet. A process that has just begun knows the provider before it has read its Secret. */
export function hearBySecret(
  reader: WebhookReader,
  secret: string | undefined,
  received: Received,
  reading: Reading,
): WebhookReading | undefined {
  const heard = readWebhook(reader, { secret, publicKeys: reader.signature?.publicKeys }, received, reading);
  return heard.verdict === "unverifiable" && !isOverdue(received) ? undefined : heard;
}

/** Undefined: not yet. The keys at hand may be old ones: newer are asked for once. */
export function hearByKeySet(
  reader: WebhookReader,
  keys: KeySet,
  received: Received,
  reading: Reading,
): WebhookReading | undefined {
  const { readAt, receivedAt } = received;
  const heard = readWebhook(reader, { secret: undefined, publicKeys: keys.current(readAt) }, received, reading);
  if (heard.verdict !== "forged" && heard.verdict !== "unverifiable") return heard;
  const isOver = keys.settles(receivedAt, readAt) || isOverdue(received);
  return isOver ? heard : undefined;
}
