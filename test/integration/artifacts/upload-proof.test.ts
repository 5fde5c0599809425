import { describe, expect, test } from "@jest/globals";
import { crc32 } from "node:zlib";
import type { StoredObject } from "../../../operator/artifacts/store/objects.ts";
import { PART_BYTES } from "../../../operator/artifacts/store/transfer.ts";
import { bigWave } from "./big-wave.ts";
import { isCompletion, isPart, isPut, makeUploadFixture } from "./upload-fixture.ts";

const LARGE = bigWave(2 * PART_BYTES + 12_345);

const { workshop, lossy, begin, store } = makeUploadFixture();

describe("an order whose answer was lost", () => {
  test.each([
    { what: "a completion", bytes: LARGE, which: isCompletion },
    { what: "a small object", bytes: LARGE.subarray(0, 1_000), which: isPut },
  ])("$what: the object that is there decides", async ({ what, bytes, which }) => {
    const key = `lost/${what.replaceAll(" ", "-")}`;
    lossy().loseAnswersTo(which);
    expect(await store(key, bytes)).toMatchObject({ bytes: bytes.length, crc32: base64(crc32(bytes)) });
    expect((await workshop().see(key)).bytes.equals(bytes)).toBe(true);
    expect(await workshop().uploads()).toEqual([]);
  });

  test("an earlier object of the same size is not taken for it", async () => {
    await workshop().put("lost/other", Buffer.alloc(LARGE.length, 1));
    lossy().refuse(isCompletion, 3);
    await expect(store("lost/other", LARGE)).rejects.toMatchObject({ code: "store-busy" });
    expect(await workshop().uploads()).toEqual([]);
  });

  test("without checksums nothing can tell the two apart: the fetch is interrupted", async () => {
    await workshop().put("lost/unsure", Buffer.alloc(LARGE.length, 1));
    lossy().refuse(isCompletion, 3);
    const storing = store("lost/unsure", LARGE, { checksums: "WHEN_REQUIRED" });
    await expect(storing).rejects.toMatchObject({ code: "store-busy" });
  });
});

describe("what the store has", () => {
  const bytes = Buffer.from("harbour");
  const stored: StoredObject = { key: "k", etag: '"e"', bytes: bytes.length, crc32: base64(crc32(bytes)) };

  test.each([
    { when: "it has fewer bytes", change: { bytes: bytes.length - 1 }, code: "store-size" },
    { when: "its checksum is another", change: { crc32: "AAAAAA==" }, code: "store-checksum" },
  ])("is refused when $when", async ({ change, code }) => {
    const head = () => Promise.resolve({ ...stored, ...change });
    await expect(store("verified", bytes, { head })).rejects.toMatchObject({ code });
  });

  test("carries checksums when asked for: of each part, and of the whole", async () => {
    const { crc32: ofWhole } = await store("with-checksums", LARGE);
    expect(ofWhole).toBe(base64(crc32(LARGE)));
    const heads = lossy().look();
    const begun = heads.find(({ method, url = "" }) => method === "POST" && url.includes("uploads"));
    expect(begun?.headers).toMatchObject({
      "x-amz-checksum-algorithm": "CRC32",
      "x-amz-checksum-type": "FULL_OBJECT",
    });
    expect([1, 2, 3].map((number) => heads.find(isPart(number))?.headers["x-amz-checksum-crc32"])).toEqual(
      [0, 1, 2].map((at) => base64(crc32(LARGE.subarray(at * PART_BYTES, (at + 1) * PART_BYTES)))),
    );
  });

  test("carries none when the store can't, and is the same", async () => {
    const { bytes: size } = await store("without-checksums", LARGE, { checksums: "WHEN_REQUIRED" });
    expect(size).toBe(LARGE.length);
    const names = lossy()
      .look()
      .flatMap(({ headers }) => Object.keys(headers));
    expect(names.filter((name) => name.includes("checksum"))).toEqual([]);
    expect((await workshop().see("without-checksums")).bytes.equals(LARGE)).toBe(true);
  });

  test("is what was written, also when the writer uses its buffer again", async () => {
    const upload = begin("copied");
    const chunk = Buffer.alloc(1_000);
    for (const letter of "harbour") await upload.write(chunk.fill(letter));
    await upload.finish();
    const expected = "harbour".replaceAll(/./g, (letter) => letter.repeat(1_000));
    expect((await workshop().see("copied")).bytes.toString()).toBe(expected);
  });
});

function base64(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes.toString("base64");
}
