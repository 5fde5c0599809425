// A small GIF whose palette depends on the key; further bytes go into a comment, which viewers skip.
import { BLOCK_BYTES, makeContent, noiseBlock, NO_FILLING, type Content } from "./content.ts";

const SIDE = 64;
const PALETTE_COLOURS = 128;
const CODE_BITS = 7;
const CLEAR = 1 << CODE_BITS;
const STOP = CLEAR + 1;
/** Codes between two clears: the table stays so small that every code keeps eight bits, so a code is a byte. */
const RUN = PALETTE_COLOURS - 2;
const SUB_BLOCK = 255;
const SUB_BLOCKS_PER_BLOCK = BLOCK_BYTES / (SUB_BLOCK + 1);
const COMMENT_OVERHEAD = 3;

/** `bytes` is exact where it leaves room for a picture. */
export function gifOf(key: string, bytes = 0): Content {
  const noise = noiseBlock(key);
  const screen = Buffer.from([SIDE, 0, SIDE, 0, 0xf6, 0, 0]);
  const palette = noise.subarray(0, PALETTE_COLOURS * 3);
  const place = Buffer.from([0x2c, 0, 0, 0, 0, SIDE, 0, SIDE, 0, 0, CODE_BITS]);
  const picture = Buffer.concat([Buffer.from("GIF89a"), screen, palette, place, subBlocks(codes())]);
  const room = bytes - picture.length - 1 - COMMENT_OVERHEAD;
  const coreBytes = picture.length;
  if (room < 2) return makeContent({ head: picture, filling: NO_FILLING, tail: Buffer.from([0x3b]), coreBytes });

  // A sub-block is its length and up to 255 bytes. One byte alone can't be a sub-block, so such a rest borrows from the last whole one.
  const rest = room % (SUB_BLOCK + 1);
  const whole = rest === 1 ? room - rest - (SUB_BLOCK + 1) : room - rest;
  const last = lastSubBlocks(room - whole, noise);
  const filling = { bytes: whole, block: inSubBlocks(noise) };
  const head = Buffer.concat([picture, Buffer.from([0x21, 0xfe])]);
  return makeContent({ head, filling, tail: Buffer.concat([last, Buffer.from([0, 0x3b])]), coreBytes });
}

/** Diagonal stripes, in codes of eight bits: a clear before the table could grow past them. */
function codes(): Buffer {
  const out: number[] = [];
  for (let pixel = 0; pixel < SIDE * SIDE; pixel++) {
    if (pixel % RUN === 0) out.push(CLEAR);
    out.push((Math.floor(pixel / SIDE) + pixel) % PALETTE_COLOURS);
  }
  return Buffer.from([...out, STOP]);
}

function subBlocks(data: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < data.length; at += SUB_BLOCK) {
    const part = data.subarray(at, at + SUB_BLOCK);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
}

function inSubBlocks(noise: Buffer): Buffer {
  const block = Buffer.from(noise);
  for (let index = 0; index < SUB_BLOCKS_PER_BLOCK; index++) block[index * (SUB_BLOCK + 1)] = SUB_BLOCK;
  return block;
}

function lastSubBlocks(bytes: number, noise: Buffer): Buffer {
  if (bytes === 0) return Buffer.alloc(0);
  if (bytes <= SUB_BLOCK + 1) return Buffer.concat([Buffer.from([bytes - 1]), noise.subarray(0, bytes - 1)]);
  return Buffer.concat([lastSubBlocks(2, noise), lastSubBlocks(bytes - 2, noise)]);
}
