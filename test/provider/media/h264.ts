// A tiny H.264 encoder (constrained baseline): key frames of uncompressed macroblocks, and frames that repeat the one before. Any decoder plays it.

/** Frames are square, this many macroblocks (of 16 pixels) each way. */
export const SIDE_BLOCKS = 4;
const BLOCKS = SIDE_BLOCKS * SIDE_BLOCKS;
const I_PCM = 25;
const FRAME_NUMBERS = 16;

/** The samples of one macroblock: brightness, then the two colour differences, each one level for the whole block. */
export type Colour = readonly [y: number, cb: number, cr: number];

class Bits {
  readonly #bytes: number[] = [];
  #filled = 0;

  bit(value: number): void {
    if (this.#filled % 8 === 0) this.#bytes.push(0);
    const last = this.#bytes.length - 1;
    this.#bytes[last] = (this.#bytes[last] ?? 0) | (value << (7 - (this.#filled % 8)));
    this.#filled++;
  }

  fixed(value: number, bits: number): void {
    for (let shift = bits - 1; shift >= 0; shift--) this.bit((value >> shift) & 1);
  }

  /** Exponential Golomb codes, the "ue(v)" of the standard. */
  golomb(...values: readonly number[]): void {
    for (const value of values) {
      const length = 32 - Math.clz32(value + 1);
      this.fixed(0, length - 1);
      this.fixed(value + 1, length);
    }
  }

  align(): void {
    while (this.#filled % 8 !== 0) this.bit(0);
  }

  bytes(value: number, count: number): void {
    for (let index = 0; index < count; index++) this.#bytes.push(value);
    this.#filled += count * 8;
  }

  /** A NAL unit: the stop bit, and a 3 wherever the bytes would look like a start code. */
  unit(type: number): Buffer {
    this.bit(1);
    this.align();
    const out = [type];
    let zeros = 0;
    for (const byte of this.#bytes) {
      if (zeros >= 2 && byte <= 3) {
        out.push(3);
        zeros = 0;
      }
      out.push(byte);
      zeros = byte === 0 ? zeros + 1 : 0;
    }
    return Buffer.from(out);
  }
}

export const PROFILE = { profile: 66, compatibility: 0xc0, level: 30 } as const;

export function sequenceParameters(): Buffer {
  const bits = new Bits();
  bits.fixed(PROFILE.profile, 8);
  bits.fixed(PROFILE.compatibility, 8);
  bits.fixed(PROFILE.level, 8);
  bits.golomb(0, 0, 2, 1); // id, frame numbers of 4 bits, output in decoding order, one reference frame
  bits.bit(0);
  bits.golomb(SIDE_BLOCKS - 1, SIDE_BLOCKS - 1);
  bits.fixed(0b1100, 4); // whole frames, direct 8x8, no cropping, no usability information
  return bits.unit(0x67);
}

export function pictureParameters(): Buffer {
  const bits = new Bits();
  bits.golomb(0, 0);
  bits.fixed(0b00, 2); // CAVLC, no bottom field order
  bits.golomb(0, 0, 0);
  bits.fixed(0b000, 3); // no weighted prediction
  bits.golomb(0, 0, 0);
  bits.fixed(0b100, 3); // deblocking is controlled per slice
  return bits.unit(0x68);
}

/** A key frame; `index` tells it from the key frame before. */
export function keyFrame(index: number, colourOf: (block: number) => Colour): Buffer {
  const bits = new Bits();
  bits.golomb(0, 7, 0);
  bits.fixed(0, 4);
  bits.golomb(index % 2);
  bits.fixed(0b00, 2);
  bits.golomb(0, 1); // same quality, no deblocking
  for (let block = 0; block < BLOCKS; block++) {
    const [y, cb, cr] = colourOf(block);
    bits.golomb(I_PCM);
    bits.align();
    bits.bytes(y, 256);
    bits.bytes(cb, 64);
    bits.bytes(cr, 64);
  }
  return bits.unit(0x65);
}

/** A frame that shows the one before it again; `number` counts from the last key frame. */
export function repeatedFrame(number: number): Buffer {
  const bits = new Bits();
  bits.golomb(0, 5, 0);
  bits.fixed(number % FRAME_NUMBERS, 4);
  bits.fixed(0b000, 3);
  bits.golomb(0, 1, BLOCKS);
  return bits.unit(0x41);
}
