// Bytes that lie elsewhere, read in blocks: few round trips for many small reads, and a bounded number of bytes in memory.
import type { ByteSource } from "./structure/whole.ts";

/** The unit of reading. */
export const BLOCK_BYTES = 1024 * 1024;
const KEPT_BLOCKS = 4;

/** `fetchBlock` must give exactly `length` bytes or throw. At most four blocks are kept; the least recently used one goes. */
export function makeBlocks(
  size: number,
  fetchBlock: (offset: number, length: number) => Promise<Uint8Array>,
): ByteSource {
  const kept = new Map<number, Buffer>();

  const block = async (index: number): Promise<Buffer> => {
    const offset = index * BLOCK_BYTES;
    const known = kept.get(index);
    kept.delete(index);
    const data = known ?? asBuffer(await fetchBlock(offset, Math.min(BLOCK_BYTES, size - offset)));
    kept.set(index, data);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_BLOCKS && oldest !== undefined) kept.delete(oldest);
    return data;
  };

  return {
    size,
    async read(offset, length) {
      const end = Math.min(offset + length, size);
      if (offset >= end) return Buffer.alloc(0);
      const parts: Buffer[] = [];
      for (let from = offset; from < end;) {
        const index = Math.floor(from / BLOCK_BYTES);
        const start = index * BLOCK_BYTES;
        const part = (await block(index)).subarray(from - start, end - start);
        parts.push(part);
        from += part.length;
      }
      return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    },
  };
}

function asBuffer(data: Uint8Array): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
