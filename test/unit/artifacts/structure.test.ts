import { describe, expect, test } from "@jest/globals";
import { checkStructure } from "../../../operator/artifacts/inspect/structure/structure.ts";
import type { Container } from "../../../operator/artifacts/media-type.ts";
import fc from "fast-check";
import { SAMPLES, bytesOf, inMemory } from "./samples.ts";

const check = (container: Container, bytes: Buffer) => checkStructure(container, inMemory(bytes));

describe("I9: a file is whole when its container says so", () => {
  test.each(SAMPLES)("$file is whole (proven: $proven)", async ({ file, container, proven }) => {
    expect(await check(container, bytesOf(file))).toEqual({ whole: true, proven });
  });

  // From 64 bytes on: so many are needed to tell a format at all.
  test.each(SAMPLES.filter(({ proven }) => proven))("$file cut anywhere is never taken for whole", async (sample) => {
    const bytes = bytesOf(sample.file);
    for (let length = 64; length < bytes.length; length += 7) {
      const wholeness = await check(sample.container, bytes.subarray(0, length));
      expect({ length, proven: wholeness.whole && wholeness.proven }).toEqual({ length, proven: false });
    }
  });

  test("one flipped bit anywhere in a PNG's chunks is found by its CRCs", async () => {
    const bytes = bytesOf("image.png");
    for (let at = 16; at < bytes.length; at += 5) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      expect({ at, whole: (await check("png", flipped)).whole }).toEqual({ at, whole: false });
    }
  });

  test("the message says where and why, and holds no content", async () => {
    const flipped = bytesOf("image.png");
    flipped.write("harbour at sunrise", 60);
    expect(await check("png", flipped)).toEqual({
      whole: false,
      why: expect.stringMatching(/^its chunk at byte \d+ (has a wrong CRC|reaches past the end)$/),
    });
  });
});

describe("what honest encoders do is not refused", () => {
  test("some bytes behind the end of a file are ignored, and very many are not", async () => {
    const [some, many] = [Buffer.from("appended by an editor"), Buffer.alloc(70_000)];
    for (const [container, file] of [
      ["png", "image.png"],
      ["jpeg", "image.jpg"],
      ["gif", "image.gif"],
      ["webp", "image.webp"],
      ["ebml", "clip.webm"],
    ] as const) {
      expect(await check(container, Buffer.concat([bytesOf(file), some]))).toEqual({ whole: true, proven: true });
      expect((await check(container, Buffer.concat([bytesOf(file), many]))).whole).toBe(false);
    }
  });

  test.each([0xffffffff, 0])("a WAV written to a pipe (size %d) is whole, and its end is not proven", async (size) => {
    const bytes = bytesOf("sound.wav");
    bytes.writeUInt32LE(size, 4);
    expect(await check("wave", bytes)).toEqual({ whole: true, proven: false });
  });

  test("a WAV whose data chunk has no size yet is whole, and its end is not proven", async () => {
    const bytes = bytesOf("sound.wav");
    bytes.writeUInt32LE(0xffffffff, 4);
    bytes.writeUInt32LE(0xffffffff, bytes.indexOf("data") + 4);
    expect(await check("wave", bytes)).toEqual({ whole: true, proven: false });
  });

  test("an MP4 whose last box reaches to the end of the file is whole, and its end is not proven", async () => {
    const bytes = bytesOf("clip-fragmented.mp4");
    const last = bytes.lastIndexOf("mfra") - 4;
    bytes.writeUInt32BE(0, last);
    expect(await check("iso", bytes)).toEqual({ whole: true, proven: false });
  });

  test("an MP4 box with a 64-bit size is read", async () => {
    const bytes = bytesOf("clip.mp4");
    const at = bytes.indexOf("mdat") - 4;
    const wide = Buffer.alloc(16);
    wide.writeUInt32BE(1, 0);
    wide.write("mdat", 4);
    wide.writeBigUInt64BE(BigInt(bytes.readUInt32BE(at) + 8), 8);
    const rewritten = Buffer.concat([bytes.subarray(0, at), wide, bytes.subarray(at + 8)]);
    expect(await check("iso", rewritten)).toEqual({ whole: true, proven: true });
  });

  test("a WebM of unknown segment size is whole, and its end is not proven", async () => {
    const bytes = bytesOf("clip.webm");
    const at = bytes.indexOf(Buffer.from("18538067", "hex")) + 4;
    Buffer.from("01ffffffffffffff", "hex").copy(bytes, at);
    expect(await check("ebml", bytes)).toEqual({ whole: true, proven: false });
  });
});

describe("what lacks a necessary part is refused", () => {
  test.each([
    { when: "an MP4 without an index", container: "iso", file: "clip.mp4", hide: "moov", why: "it has no moov box" },
    { when: "an MP4 without data", container: "iso", file: "clip.mp4", hide: "mdat", why: "it has no mdat box" },
    {
      when: "a WAV without sound",
      container: "wave",
      file: "sound.wav",
      hide: "data",
      why: "it lacks its fmt and data chunks",
    },
    {
      when: "a WebP without an image",
      container: "webp",
      file: "image.webp",
      hide: "VP8 ",
      why: "it lacks an image chunk",
    },
  ] as const)("$when", async ({ container, file, hide, why }) => {
    const bytes = bytesOf(file);
    bytes.write("free", bytes.indexOf(hide));
    expect(await check(container, bytes)).toEqual({ whole: false, why });
  });
});

test("no bytes whatever make a check throw, or read past a bounded number of parts", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...SAMPLES),
      fc.uint8Array({ maxLength: 400 }),
      fc.nat(100),
      async (sample, tail, keep) => {
        const bytes = Buffer.concat([bytesOf(sample.file).subarray(0, keep), tail]);
        expect(typeof (await check(sample.container, bytes)).whole).toBe("boolean");
      },
    ),
  );
});

test("a file made of endless tiny parts is given up", async () => {
  const endless = {
    size: Number.MAX_SAFE_INTEGER,
    // Every second byte says "one more byte follows".
    read: (offset: number, length: number) =>
      Promise.resolve(offset < 13 ? bytesOf("image.gif").subarray(offset, offset + length) : Buffer.from([0x21, 1])),
  };
  expect(await checkStructure("gif", endless)).toEqual({ whole: false, why: "it has more than 1000000 parts" });
});
