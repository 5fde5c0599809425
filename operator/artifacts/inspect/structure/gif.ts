// GIF: header, colour tables and every block up to the trailer.
import { TOO_MANY_PARTS, broken, endsAt, makePartLimit } from "./whole.ts";
import type { ByteSource, PartLimit, Wholeness } from "./whole.ts";

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const HEADER_BYTES = 13;
const CUT = broken("it ends before its trailer");

export async function checkGif(bytes: ByteSource): Promise<Wholeness> {
  const limit = makePartLimit();
  const header = await bytes.read(0, HEADER_BYTES);
  if (header.length < HEADER_BYTES) return CUT;
  let offset = HEADER_BYTES + colourTableBytes(header[10] ?? 0);
  let hasImage = false;
  for (;;) {
    const [block] = await bytes.read(offset, 1);
    if (block === TRAILER) return hasImage ? endsAt(offset + 1, bytes.size) : broken("it has no image");
    const data = await dataOffset(bytes, offset, block);
    if (typeof data !== "number") return data;
    hasImage ||= block === IMAGE;
    const end = await endOfSubBlocks(bytes, data, limit);
    if (typeof end !== "number") return end;
    offset = end;
  }
}

/** Where the sub-blocks of a block begin. */
async function dataOffset(bytes: ByteSource, offset: number, block: number | undefined): Promise<number | Wholeness> {
  if (block === undefined) return CUT;
  if (block === EXTENSION) return offset + 2;
  if (block !== IMAGE) return broken(`it has an unknown block at byte ${offset}`);
  const descriptor = await bytes.read(offset, 10);
  return offset + 10 + colourTableBytes(descriptor[9] ?? 0) + 1; // 1: the code size
}

/** Sub-blocks are a length byte and so many bytes; one of length 0 ends them. */
async function endOfSubBlocks(bytes: ByteSource, start: number, limit: PartLimit): Promise<number | Wholeness> {
  for (let offset = start; ;) {
    if (limit.exceeded()) return TOO_MANY_PARTS;
    const [length] = await bytes.read(offset, 1);
    if (length === undefined) return CUT;
    offset += 1 + length;
    if (length === 0) return offset;
  }
}

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}
