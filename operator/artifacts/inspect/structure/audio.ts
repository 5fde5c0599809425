// FLAC, Ogg and MPEG audio: as far as their structure tells. Only Ogg says where it ends.
import { isLayer3Frame } from "../../media-type.ts";
import { PROVEN, TOO_MANY_PARTS, UNPROVEN, broken, makePartLimit } from "./whole.ts";
import type { ByteSource, Wholeness } from "./whole.ts";

export async function checkFlac(bytes: ByteSource): Promise<Wholeness> {
  const limit = makePartLimit();
  for (let offset = 4; ;) {
    if (limit.exceeded()) return TOO_MANY_PARTS;
    const head = await bytes.read(offset, 4);
    if (head.length < 4) return broken("it ends in its metadata");
    const isLast = ((head[0] ?? 0) & 0x80) !== 0;
    offset += 4 + head.readUIntBE(1, 3);
    if (isLast) return frameAt(await bytes.read(offset, 2));
  }
}

function frameAt(head: Buffer): Wholeness {
  const isFrame = head.length === 2 && (head.readUInt16BE(0) & 0xfffe) === 0xfff8;
  return isFrame ? UNPROVEN : broken("it has no audio frame behind its metadata");
}

const PAGE_HEADER_BYTES = 27;
const LAST_PAGE = 0x04;

export async function checkOgg(bytes: ByteSource): Promise<Wholeness> {
  const limit = makePartLimit();
  let isEnded = false;
  for (let offset = 0; offset < bytes.size;) {
    if (limit.exceeded()) return TOO_MANY_PARTS;
    const head = await bytes.read(offset, PAGE_HEADER_BYTES + 255);
    if (head.toString("latin1", 0, 4) !== "OggS" || head.length < PAGE_HEADER_BYTES) {
      return broken(`it has no page at byte ${offset}`);
    }
    const segments = head[26] ?? 0;
    const lengths = head.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + segments);
    const end = offset + PAGE_HEADER_BYTES + segments + lengths.reduce((sum, length) => sum + length, 0);
    if (lengths.length < segments || end > bytes.size) return broken(`its page at byte ${offset} reaches past the end`);
    isEnded = ((head[5] ?? 0) & LAST_PAGE) !== 0;
    offset = end;
  }
  return isEnded ? PROVEN : UNPROVEN;
}

/** How far behind the tag the first frame may stand: encoders pad with zeros. */
const PADDING_BYTES = 64 * 1024;

export async function checkMpegAudio(bytes: ByteSource): Promise<Wholeness> {
  const start = await endOfTag(bytes);
  if (start >= bytes.size) return broken("it ends in its tag");
  const window = await bytes.read(start, PADDING_BYTES);
  const first = window.findIndex((byte) => byte !== 0);
  return first >= 0 && isLayer3Frame(window.subarray(first))
    ? UNPROVEN
    : broken("it has no audio frame behind its tag");
}

/** An ID3v2 tag: "ID3", two bytes of version, flags, and a size of four times seven bits. */
async function endOfTag(bytes: ByteSource): Promise<number> {
  const head = await bytes.read(0, 10);
  if (head.toString("latin1", 0, 3) !== "ID3" || head.length < 10) return 0;
  const size = head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return 10 + size + (hasFooter ? 10 : 0);
}
