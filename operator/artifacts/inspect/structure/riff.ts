// RIFF (WAV and WebP): chunk sizes against the real size.
import { TOO_MANY_PARTS, UNPROVEN, broken, endsAt, makePartLimit } from "./whole.ts";
import type { ByteSource, Wholeness } from "./whole.ts";

/** What encoders that write to a pipe put where they do not know the size yet. */
const UNKNOWN_SIZE_FROM = 0xffffff00;
const HEADER_BYTES = 12;

export async function checkWave(bytes: ByteSource): Promise<Wholeness> {
  return checkRiff(bytes, (chunks) => chunks.has("fmt ") && chunks.has("data"), "its fmt and data chunks");
}

export async function checkWebp(bytes: ByteSource): Promise<Wholeness> {
  const hasImage = (chunks: ReadonlySet<string>): boolean => ["VP8 ", "VP8L", "ANMF"].some((name) => chunks.has(name));
  return checkRiff(bytes, hasImage, "an image chunk");
}

async function checkRiff(
  bytes: ByteSource,
  isComplete: (chunks: ReadonlySet<string>) => boolean,
  wanted: string,
): Promise<Wholeness> {
  const header = await bytes.read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES) return broken("it ends in its header");
  const declared = header.readUInt32LE(4);
  const isStreamed = declared >= UNKNOWN_SIZE_FROM || declared === 0;
  const end = isStreamed ? bytes.size : declared + 8;
  const ending = endsAt(end, bytes.size);
  if (!ending.whole) return ending;

  const chunks = await walk(bytes, end);
  if (!(chunks instanceof Set)) return chunks;
  if (!isComplete(chunks)) return broken(`it lacks ${wanted}`);
  return isStreamed ? UNPROVEN : ending;
}

async function walk(bytes: ByteSource, end: number): Promise<Set<string> | Wholeness> {
  const limit = makePartLimit();
  const chunks = new Set<string>();
  for (let offset = HEADER_BYTES; offset + 8 <= end;) {
    if (limit.exceeded()) return TOO_MANY_PARTS;
    const head = await bytes.read(offset, 8);
    const length = head.readUInt32LE(4);
    chunks.add(head.toString("latin1", 0, 4));
    if (length >= UNKNOWN_SIZE_FROM) return chunks; // reaches to the end, whatever that is
    if (offset + 8 + length > end) return broken(`its chunk at byte ${offset} reaches past the end`);
    offset += 8 + length + (length % 2);
  }
  return chunks;
}
