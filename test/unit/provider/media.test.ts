// The media that the provider serves: real enough for a player, exact in length, and the same in any ranges they are read in.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import fc from "fast-check";
import mediaInfoFactory, { type MediaInfo } from "mediainfo.js";
import { sha256Of, type Content } from "../../provider/media/content.ts";
import { gifOf } from "../../provider/media/gif.ts";
import { mp4Of } from "../../provider/media/mp4.ts";
import { pngOf } from "../../provider/media/png.ts";
import { wavOf } from "../../provider/media/wav.ts";

const KINDS = [
  { kind: "png", make: pngOf, format: "PNG", track: { "@type": "Image", Format: "PNG", Width: 64, Height: 64 } },
  { kind: "gif", make: gifOf, format: "GIF", track: { "@type": "Image", Format: "GIF", Width: 64, Height: 64 } },
  { kind: "wav", make: wavOf, format: "Wave", track: { "@type": "Audio", Format: "PCM", SamplingRate: 44_100 } },
  { kind: "mp4", make: mp4Of, format: "MPEG-4", track: { "@type": "Video", Format: "AVC", Width: 64, FrameCount: 24 } },
] as const;

const LENGTHS = [200_000, 131_073, 99_998, 65_536] as const;

const bytesOf = (content: Content, from = 0, to = content.bytes): Buffer => Buffer.concat([...content.read(from, to)]);

describe("a player", () => {
  let mediaInfo: MediaInfo;

  beforeAll(async () => {
    mediaInfo = await mediaInfoFactory({ format: "object" });
  });
  afterAll(() => {
    mediaInfo.close();
  });

  const tracksOf = async (bytes: Buffer): Promise<readonly unknown[]> => {
    const report = await mediaInfo.analyzeData(bytes.length, (size, offset) => bytes.subarray(offset, offset + size));
    return report.media?.track ?? [];
  };

  test.each(KINDS.flatMap((kind) => [undefined, ...LENGTHS].map((length) => ({ ...kind, length }))))(
    "opens a $kind of $length bytes",
    async ({ make, format, track, length }) => {
      const [general, media] = await tracksOf(bytesOf(make("a key", length)));
      expect(general).toMatchObject({ Format: format });
      expect(general).not.toHaveProperty("extra");
      expect(media).toMatchObject(track);
    },
  );

  test.each([
    { kind: "png", make: pngOf, complaint: "extra.ConformanceErrors" },
    { kind: "wav", make: wavOf, complaint: "extra.IsTruncated" },
    { kind: "mp4", make: mp4Of, complaint: "extra.IsTruncated" },
  ])("sees that half a $kind is not whole", async ({ make, complaint }) => {
    const content = make("a key");
    const [general] = await tracksOf(bytesOf(content, 0, Math.ceil(content.coreBytes / 2)));
    expect(general).toHaveProperty(complaint);
  });
});

describe.each(KINDS)("content of kind $kind", ({ kind, make }) => {
  test.each(LENGTHS)("has exactly %d bytes, or the next whole sample", (length) => {
    const whole = kind === "wav" ? length + (length % 2) : length;
    const content = make("a key", length);
    expect([content.bytes, bytesOf(content).length]).toEqual([whole, whole]);
  });

  test("is the same on every reading, and in whatever ranges it is read", () => {
    const content = make("a key", 200_000);
    const whole = bytesOf(make("a key", 200_000));
    const place = fc.integer({ min: 0, max: content.bytes });

    fc.assert(
      fc.property(place, place, (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        expect(bytesOf(content, from, to).equals(whole.subarray(from, to))).toBe(true);
      }),
    );
  });

  test("differs between keys, from its beginning to its end", () => {
    const [one, other] = [bytesOf(make("one", 200_000)), bytesOf(make("other", 200_000))];
    expect(one.subarray(0, 60_000).equals(other.subarray(0, 60_000))).toBe(false);
    expect(one.subarray(-60_000).equals(other.subarray(-60_000))).toBe(false);
  });

  test("does not repeat itself where a part of the usual size would be put in a wrong place", () => {
    const content = make("a key", 400_000);
    const parts = [0, 1, 2, 3].map((part) => bytesOf(content, 100_000 + part * 65_536, 100_000 + (part + 1) * 65_536));
    expect(new Set(parts.map((part) => part.toString("base64"))).size).toBe(4);
  });

  test("has the digest of its bytes", () => {
    const content = make("a key", 99_998);
    expect(sha256Of(content)).toBe(createHash("sha256").update(bytesOf(content)).digest("hex"));
  });
});
