// EBML (WebM, Matroska): the segment ends where it says.
import { UNPROVEN, broken, endsAt } from "./whole.ts";
import type { ByteSource, Wholeness } from "./whole.ts";

const SEGMENT = "18538067";
const ID_BYTES = 4;
const CUT = broken("it ends before its segment");

export async function checkEbml(bytes: ByteSource): Promise<Wholeness> {
  const header = sizeAt(await bytes.read(ID_BYTES, 8));
  if (header?.value === undefined) return broken("its header has no readable size");
  const offset = ID_BYTES + header.bytes + header.value;
  const head = await bytes.read(offset, ID_BYTES + 8);
  if (head.toString("hex", 0, ID_BYTES) !== SEGMENT) return offset >= bytes.size ? CUT : broken("it has no segment");
  const segment = sizeAt(head.subarray(ID_BYTES));
  if (!segment) return CUT;
  if (segment.value === undefined) return UNPROVEN; // written to a pipe: the size was not known
  return endsAt(offset + ID_BYTES + segment.bytes + segment.value, bytes.size);
}

/** A variable-length number: the leading zeros of the first byte tell its length; all ones mean "unknown". */
function sizeAt(from: Buffer): { readonly bytes: number; readonly value: number | undefined } | undefined {
  const first = from[0] ?? 0;
  const bytes = Math.clz32(first) - 23;
  if (bytes > 8 || from.length < bytes) return undefined;
  const raw = from.subarray(0, bytes).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const mask = (1n << BigInt(7 * bytes)) - 1n;
  const value = raw & mask;
  return { bytes, value: value === mask ? undefined : Number(value) };
}
