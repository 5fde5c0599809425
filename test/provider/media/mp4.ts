// A two-second MP4 with an H.264 track whose colours depend on the key, index first; further bytes go into a free box, which players skip.
import { createHash } from "node:crypto";
import { makeContent, noiseBlock, NO_FILLING, type Content } from "./content.ts";
import {
  keyFrame,
  pictureParameters,
  PROFILE,
  repeatedFrame,
  sequenceParameters,
  SIDE_BLOCKS,
  type Colour,
} from "./h264.ts";

const FRAMES = 24;
const FRAMES_PER_SECOND = 12;
const KEY_EVERY = 6;
const SIDE = SIDE_BLOCKS * 16;
const BOX_BYTES = 8;

/** `bytes` is exact where it leaves room for the film. */
export function mp4Of(key: string, bytes = 0): Content {
  const frames = Array.from({ length: FRAMES }, (_, index) => frame(key, index));
  const opening = box("ftyp", "isom", u32(512), "isomiso2avc1mp41");
  // The index holds the place of the frames behind it, and its own length does not depend on that place.
  const framesAt = opening.length + index(frames, 0).length + BOX_BYTES;
  const film = Buffer.concat([opening, index(frames, framesAt), box("mdat", ...frames)]);
  const coreBytes = film.length;
  const room = bytes - film.length - BOX_BYTES;
  if (room < 0) return makeContent({ head: film, filling: NO_FILLING, tail: Buffer.alloc(0), coreBytes });

  const head = Buffer.concat([film, u32(room + BOX_BYTES), Buffer.from("free")]);
  return makeContent({ head, filling: { bytes: room, block: noiseBlock(key) }, tail: Buffer.alloc(0), coreBytes });
}

function frame(key: string, index: number): Buffer {
  const repeats = index % KEY_EVERY;
  const unit = repeats === 0 ? keyFrame(index / KEY_EVERY, colours(key, index / KEY_EVERY)) : repeatedFrame(repeats);
  return Buffer.concat([u32(unit.length), unit]);
}

/** All samples stay in the range of video levels, 16 to 235. */
function colours(key: string, scene: number): (block: number) => Colour {
  const digest = createHash("sha256").update(`${key}#${scene}`).digest();
  const level = (index: number): number => 16 + ((digest[index % digest.length] ?? 0) % 220);
  return (block) => [level(block), level(block + 16), level(block + 24)];
}

function index(frames: readonly Buffer[], framesAt: number): Buffer {
  return box(
    "moov",
    movieHeader(),
    box("trak", trackHeader(), box("mdia", mediaHeader(), handler(), media(frames, framesAt))),
  );
}

const UNITY = Buffer.concat([u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0), u32(0x40000000)]);

function movieHeader(): Buffer {
  const times = u32(0, 0, 0, FRAMES_PER_SECOND, FRAMES);
  return box("mvhd", times, u32(0x10000), u16(0x100, 0), u32(0, 0), UNITY, u32(0, 0, 0, 0, 0, 0, 2));
}

function trackHeader(): Buffer {
  const whose = u32(7, 0, 0, 1, 0, FRAMES, 0, 0);
  return box("tkhd", whose, u16(0, 0, 0, 0), UNITY, u32(SIDE << 16, SIDE << 16));
}

function mediaHeader(): Buffer {
  return box("mdhd", u32(0, 0, 0, FRAMES_PER_SECOND, FRAMES), u16(0x55c4, 0)); // language: undetermined
}

function handler(): Buffer {
  return box("hdlr", u32(0, 0), "vide", u32(0, 0, 0), "video\0");
}

function media(frames: readonly Buffer[], framesAt: number): Buffer {
  const reference = box("dinf", box("dref", u32(0, 1), box("url ", u32(1))));
  return box("minf", box("vmhd", u32(1), u16(0, 0, 0, 0)), reference, samples(frames, framesAt));
}

function samples(frames: readonly Buffer[], framesAt: number): Buffer {
  const keys = frames.flatMap((_, index) => (index % KEY_EVERY === 0 ? [index + 1] : []));
  const sizes = frames.map((each) => each.length);
  return box(
    "stbl",
    box("stsd", u32(0, 1), sampleEntry()),
    box("stts", u32(0, 1, FRAMES, 1)),
    box("stss", u32(0, keys.length, ...keys)),
    box("stsc", u32(0, 1, 1, FRAMES, 1)),
    box("stsz", u32(0, 0, FRAMES, ...sizes)),
    box("stco", u32(0, 1, framesAt)),
  );
}

function sampleEntry(): Buffer {
  const sequence = sequenceParameters();
  const picture = pictureParameters();
  const profile = Buffer.from([1, PROFILE.profile, PROFILE.compatibility, PROFILE.level, 0xff, 0xe1]);
  const parameters = [u16(sequence.length), sequence, Buffer.from([1]), u16(picture.length), picture];
  const form = [u32(0), u16(0, 1), u32(0, 0, 0, 0), u16(SIDE, SIDE), u32(0x480000, 0x480000, 0), u16(1)];
  return box("avc1", ...form, Buffer.alloc(32), u16(24, 0xffff), box("avcC", profile, ...parameters));
}

function box(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
  return Buffer.concat([u32(body.length + BOX_BYTES), Buffer.from(type, "latin1"), body]);
}

function u32(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => out.writeUInt32BE(value >>> 0, at * 4));
  return out;
}

function u16(...values: readonly number[]): Buffer {
  const out = Buffer.alloc(values.length * 2);
  values.forEach((value, at) => out.writeUInt16BE(value, at * 2));
  return out;
}
