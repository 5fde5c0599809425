// A tone as 16-bit mono WAV; its pitch depends on the key. A longer file is a longer tone.
import { createHash } from "node:crypto";
import { BLOCK_BYTES, makeContent, type Content } from "./content.ts";

const SAMPLES_PER_SECOND = 44_100;
const SAMPLE_BYTES = 2;
const HEADER_BYTES = 44;
const DEFAULT_BYTES = HEADER_BYTES + (SAMPLES_PER_SECOND * SAMPLE_BYTES) / 2;
const LOUDNESS = 8_000;

/** `bytes` is rounded up to whole samples, and to half a second where nothing is asked. */
export function wavOf(key: string, bytes = DEFAULT_BYTES): Content {
  const dataBytes = Math.ceil(Math.max(0, bytes - HEADER_BYTES) / SAMPLE_BYTES) * SAMPLE_BYTES;
  const filling = { bytes: dataBytes, block: tone(key) };
  const whole = HEADER_BYTES + dataBytes;
  return makeContent({ head: header(dataBytes), filling, tail: Buffer.alloc(0), coreBytes: whole });
}

function header(dataBytes: number): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // mono
  head.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  head.writeUInt32LE(SAMPLES_PER_SECOND * SAMPLE_BYTES, 28);
  head.writeUInt16LE(SAMPLE_BYTES, 32);
  head.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(dataBytes, 40);
  return head;
}

/** A whole number of waves fills the block, so blocks join without a click; the second wave makes tones of one pitch differ. */
function tone(key: string): Buffer {
  const digest = createHash("sha256").update(key).digest();
  const waves = 200 + (digest.readUInt16BE(0) % 800);
  const overtone = 1_000 + (digest.readUInt16BE(2) % 4_000);
  const phase = digest.readUInt32BE(4) / 2 ** 32;
  const block = Buffer.alloc(BLOCK_BYTES);
  const samples = BLOCK_BYTES / SAMPLE_BYTES;
  for (let index = 0; index < samples; index++) {
    const turn = (2 * Math.PI * index) / samples;
    const level = Math.sin(turn * waves + 2 * Math.PI * phase) + 0.25 * Math.sin(turn * overtone);
    block.writeInt16LE(Math.round(level * LOUDNESS), index * SAMPLE_BYTES);
  }
  return block;
}
