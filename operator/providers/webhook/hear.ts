// What a webhook says, where its keys may have to be fetched first: a message that the keys at hand do not verify waits for newer ones,
// once, and for a bounded time.
import type { Reading } from "../reading.ts";
import type { KeySet } from "./key-set.ts";
import { readWebhook, type WebhookReader, type WebhookReading } from "./read.ts";
import type { Received } from "./signature.ts";

/** A JWKS that can't be fetched for so long verifies nothing that came before. */
const PATIENCE_MS = 120_000;

/** Undefined: not yet. */
export function hearByKeySet(
  reader: WebhookReader,
  keys: KeySet,
  received: Received,
  reading: Reading,
): WebhookReading | undefined {
  const { readAt, receivedAt } = received;
  const heard = readWebhook(reader, { secret: undefined, publicKeys: keys.current(readAt) }, received, reading);
  if (heard.verdict !== "forged" && heard.verdict !== "unverifiable") return heard;
  const isOver = keys.settles(receivedAt, readAt) || readAt.getTime() - receivedAt.getTime() > PATIENCE_MS;
  return isOver ? heard : undefined;
}
