// A small PNG whose colours depend on the key; further bytes go into a private chunk that viewers skip.
import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import { fillingAt, BLOCK_BYTES, makeContent, noiseBlock, NO_FILLING, type Content, type Filling } from "./content.ts";

const SIDE = 64;
const CHUNK_OVERHEAD = 12;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PADDING_TYPE = "paDd";

/** `bytes` is exact where it leaves room for a picture. */
export function pngOf(key: string, bytes = 0): Content {
  const picture = Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header()),
    chunk("IDAT", deflateSync(pixels(key), { level: 0 })),
  ]);
  const end = chunk("IEND", Buffer.alloc(0));
  const room = bytes - picture.length - end.length - CHUNK_OVERHEAD;
  const coreBytes = picture.length;
  if (room < 0) return makeContent({ head: picture, filling: NO_FILLING, tail: end, coreBytes });

  const filling = { bytes: room, block: noiseBlock(key) };
  const opening = Buffer.alloc(8);
  opening.writeUInt32BE(room, 0);
  opening.write(PADDING_TYPE, 4, "latin1");
  const head = Buffer.concat([picture, opening]);
  return makeContent({ head, filling, tail: Buffer.concat([checksum(filling), end]), coreBytes });
}

function header(): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(SIDE, 0);
  data.writeUInt32BE(SIDE, 4);
  data.set([8, 2, 0, 0, 0], 8); // 8 bits, RGB, deflate, no filter choice, no interlace
  return data;
}

function pixels(key: string): Buffer {
  const tint = createHash("sha256").update(key).digest();
  const noise = noiseBlock(key);
  const rows = Buffer.alloc(SIDE * (1 + SIDE * 3));
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const at = y * (1 + SIDE * 3) + 1 + x * 3;
      const grain = (noise[(y * SIDE + x) % noise.length] ?? 0) & 0x1f;
      rows[at] = ((tint[0] ?? 0) + x * 2 + grain) & 0xff;
      rows[at + 1] = ((tint[1] ?? 0) + y * 2 + grain) & 0xff;
      rows[at + 2] = ((tint[2] ?? 0) + x + y + grain) & 0xff;
    }
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), whole.length - 4);
  return whole;
}

function checksum(filling: Filling): Buffer {
  let sum = crc32(Buffer.from(PADDING_TYPE, "latin1"));
  for (let at = 0; at < filling.bytes; at += BLOCK_BYTES) sum = crc32(fillingAt(filling, at), sum);
  const four = Buffer.alloc(4);
  four.writeUInt32BE(sum);
  return four;
}
