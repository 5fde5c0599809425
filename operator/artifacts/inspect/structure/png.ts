// PNG: every chunk with its CRC, from IHDR to IEND.
import { crc32 } from "node:zlib";
import { TOO_MANY_PARTS, broken, endsAt, makePartLimit } from "./whole.ts";
import type { ByteSource, Wholeness } from "./whole.ts";

const SIGNATURE_BYTES = 8;
const WINDOW_BYTES = 256 * 1024;

export async function checkPng(bytes: ByteSource): Promise<Wholeness> {
  const limit = makePartLimit();
  const types = new Set<string>();
  for (let offset = SIGNATURE_BYTES; ;) {
    if (limit.exceeded()) return TOO_MANY_PARTS;
    const chunk = await chunkAt(bytes, offset);
    if ("whole" in chunk) return chunk;
    types.add(chunk.type);
    if (!types.has("IHDR")) return broken("it does not begin with an IHDR chunk");
    if (chunk.type === "IEND")
      return types.has("IDAT") ? endsAt(chunk.end, bytes.size) : broken("it has no IDAT chunk");
    offset = chunk.end;
  }
}

interface Chunk {
  readonly type: string;
  readonly end: number;
}

async function chunkAt(bytes: ByteSource, offset: number): Promise<Chunk | Wholeness> {
  const head = await bytes.read(offset, 8);
  if (head.length < 8) return broken("it ends before its IEND chunk");
  const length = head.readUInt32BE(0);
  const end = offset + length + 12;
  if (end > bytes.size) return broken(`its chunk at byte ${offset} reaches past the end`);
  if (!(await hasTrueCrc(bytes, offset, length))) return broken(`its chunk at byte ${offset} has a wrong CRC`);
  return { type: head.toString("latin1", 4, 8), end };
}

/** The CRC covers the type and the data; it stands right behind them. */
async function hasTrueCrc(bytes: ByteSource, chunkOffset: number, length: number): Promise<boolean> {
  const end = chunkOffset + 8 + length;
  let crc = 0;
  for (let offset = chunkOffset + 4; offset < end;) {
    const window = await bytes.read(offset, Math.min(WINDOW_BYTES, end - offset));
    if (window.length === 0) return false;
    crc = crc32(window, crc);
    offset += window.length;
  }
  const stored = await bytes.read(end, 4);
  return stored.length === 4 && stored.readUInt32BE(0) === crc;
}
