// The bytes of an output as a head, a repeatable filling of any length, and a tail: any range of 200 MB can be made without holding it.
import { createCipheriv, createHash, type Hash } from "node:crypto";

/** Finished content: `bytes` long, the same on every reading. */
export interface Content {
  readonly bytes: number;
  /** Where the part that a player needs ends; what follows is padding. */
  readonly coreBytes: number;
  /** The bytes from (included) to (excluded), in chunks of at most 64 KiB. */
  read(from: number, to: number): Generator<Buffer>;
}

export interface Parts {
  readonly head: Buffer;
  readonly filling: Filling;
  readonly tail: Buffer;
  readonly coreBytes: number;
}

/** `bytes` bytes made of one block over and over, each marked with its number so that no two places look alike. */
export interface Filling {
  readonly bytes: number;
  readonly block: Buffer;
}

export const BLOCK_BYTES = 65_536;
const MARK_AT = 8;
const MARK_BYTES = 4;

export const NO_FILLING: Filling = { bytes: 0, block: Buffer.alloc(BLOCK_BYTES) };

/** A block of bytes that look random and depend on the key alone. */
export function noiseBlock(key: string): Buffer {
  const secret = createHash("sha256").update(key).digest();
  return createCipheriv("aes-256-ctr", secret, Buffer.alloc(16)).update(Buffer.alloc(BLOCK_BYTES));
}

export function makeContent({ head, filling, tail, coreBytes }: Parts): Content {
  const bytes = head.length + filling.bytes + tail.length;

  const chunkAt = (position: number): Buffer => {
    if (position < head.length) return head.subarray(position, position + BLOCK_BYTES);
    const inside = position - head.length;
    if (inside < filling.bytes) return fillingAt(filling, inside);
    return tail.subarray(inside - filling.bytes);
  };
  return {
    bytes,
    coreBytes,
    *read(from, to) {
      for (let position = from; position < Math.min(to, bytes);) {
        const chunk = chunkAt(position).subarray(0, to - position);
        position += chunk.length;
        yield chunk;
      }
    },
  };
}

/** From this offset to the end of its block. */
export function fillingAt(filling: Filling, offset: number): Buffer {
  const index = Math.floor(offset / BLOCK_BYTES);
  const block = Buffer.from(filling.block);
  // Small numbers in every other byte: as 16-bit samples they stay inaudible.
  for (let digit = 0; digit < MARK_BYTES; digit++)
    block.writeUInt16LE((index >> (digit * 8)) & 0xff, MARK_AT + digit * 2);

  const end = Math.min(BLOCK_BYTES, filling.bytes - index * BLOCK_BYTES);
  return block.subarray(offset - index * BLOCK_BYTES, end);
}

/** The SHA-256 of the whole content, in hex. */
export function sha256Of(content: Content): string {
  const hash: Hash = createHash("sha256");
  for (const chunk of content.read(0, content.bytes)) hash.update(chunk);
  return hash.digest("hex");
}
