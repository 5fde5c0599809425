// ISO base media (MP4, MOV, M4A, AVIF): the top-level boxes cover the file exactly, and the necessary ones are there.
import { PROVEN, TOO_MANY_PARTS, UNPROVEN, broken, makePartLimit } from "./whole.ts";
import type { ByteSource, Wholeness } from "./whole.ts";

interface Box {
  readonly type: string;
  /** Undefined: up to the end of the file. */
  readonly size: number | undefined;
}

export async function checkIso(bytes: ByteSource): Promise<Wholeness> {
  const limit = makePartLimit();
  const types = new Set<string>();
  for (let offset = 0; offset < bytes.size;) {
    if (limit.exceeded()) return TOO_MANY_PARTS;
    const box = await boxAt(bytes, offset);
    if (!box) return broken(`it has no readable box at byte ${offset}`);
    types.add(box.type);
    if (box.size === undefined) return complete(types, UNPROVEN);
    if (offset + box.size > bytes.size) return broken(`its box at byte ${offset} reaches past the end`);
    offset += box.size;
  }
  return complete(types, PROVEN);
}

function complete(types: ReadonlySet<string>, wholeness: Wholeness): Wholeness {
  const hasIndex = types.has("moov") || types.has("meta");
  if (!hasIndex) return broken("it has no moov box");
  const hasData = types.has("mdat") || types.has("idat");
  return hasData ? wholeness : broken("it has no mdat box");
}

async function boxAt(bytes: ByteSource, offset: number): Promise<Box | undefined> {
  const head = await bytes.read(offset, 16);
  if (head.length < 8) return undefined;
  const type = head.toString("latin1", 4, 8);
  if (!/^[ -~\xa9]{4}$/.test(type)) return undefined;
  const size = head.readUInt32BE(0);
  if (size === 0) return { type, size: undefined };
  if (size >= 8) return { type, size };
  if (size !== 1 || head.length < 16) return undefined;
  const wide = head.readBigUInt64BE(8);
  return wide >= 16n && wide <= BigInt(Number.MAX_SAFE_INTEGER) ? { type, size: Number(wide) } : undefined;
}
