// JPEG: segments up to the first scan, and an end marker behind it.
import { MAX_TRAILER_BYTES, PROVEN, TOO_MANY_PARTS, broken, makePartLimit } from "./whole.ts";
import type { ByteSource, Wholeness } from "./whole.ts";

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

export async function checkJpeg(bytes: ByteSource): Promise<Wholeness> {
  const scanOffset = await findScan(bytes);
  if (typeof scanOffset !== "number") return scanOffset;
  // Entropy-coded data never holds FF D9 (an FF in it is followed by 00), so any such pair is a marker.
  const from = Math.max(scanOffset, bytes.size - MAX_TRAILER_BYTES - 2);
  const tail = await bytes.read(from, bytes.size - from);
  return tail.includes(Buffer.from([0xff, END_OF_IMAGE])) ? PROVEN : broken("it has no end marker");
}

async function findScan(bytes: ByteSource): Promise<number | Wholeness> {
  const limit = makePartLimit();
  for (let offset = 2; ;) {
    if (limit.exceeded()) return TOO_MANY_PARTS;
    const head = await bytes.read(offset, 4);
    if (head.length < 4) return broken("it ends before its first scan");
    const [mark = 0, marker = 0] = head;
    if (mark !== 0xff) return broken(`it has no marker at byte ${offset}`);
    if (marker === 0xff) {
      offset += 1; // a fill byte
      continue;
    }
    if (marker === START_OF_SCAN) return offset;
    if (marker === END_OF_IMAGE) return broken("it has no scan");
    offset += 2 + head.readUInt16BE(2);
  }
}
