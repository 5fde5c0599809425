import { afterEach, describe, expect, test } from "@jest/globals";
import { makeInspector } from "../../../operator/artifacts/inspect/inspector.ts";
import type { Inspector, StoredFile } from "../../../operator/artifacts/inspect/inspector.ts";
import { Interruption } from "../../../operator/artifacts/interruption.ts";
import { makeSlots } from "../../../operator/outbound/slots.ts";
import { SAMPLES, bytesOf } from "./samples.ts";
import type { Sample } from "./samples.ts";

let inspector: Inspector;
const forever = new AbortController().signal;

afterEach(() => inspector.close());

function stored(sample: Pick<Sample, "file" | "container">, bytes = bytesOf(sample.file)): StoredFile {
  return {
    size: bytes.length,
    container: sample.container,
    read: (offset, length) => Promise.resolve(Uint8Array.from(bytes.subarray(offset, offset + length))),
  };
}

describe("an inspection finds what is in a file", () => {
  test("of every known format, in one thread, one after another", async () => {
    inspector = makeInspector(makeSlots(() => 1));
    for (const sample of SAMPLES) {
      const { width, height, durationMs, proven } = sample;
      expect([sample.file, await inspector.inspect(stored(sample), forever)]).toEqual([
        sample.file,
        { outcome: "whole", proven, tracks: expect.objectContaining({ width, height, durationMs }) },
      ]);
    }
  });

  test("a file of the right structure with nothing in it is broken", async () => {
    inspector = makeInspector(makeSlots(() => 1));
    const bytes = bytesOf("clip.mp4");
    bytes.fill(0, bytes.indexOf("moov") + 4, bytes.length);
    expect(await inspector.inspect(stored({ file: "", container: "iso" }, bytes), forever)).toEqual({
      outcome: "broken",
      why: "no image, sound or video can be read from it",
    });
  });

  test("more files than threads wait for each other", async () => {
    inspector = makeInspector(makeSlots(() => 1));
    const all = await Promise.all(SAMPLES.map((sample) => inspector.inspect(stored(sample), forever)));
    expect(all.map(({ outcome }) => outcome)).toEqual(SAMPLES.map(() => "whole"));
  });
});

describe("I10: a file can't hold up the process", () => {
  const sample = { file: "image.png", container: "png" } as const;

  test("an abort ends an inspection that waits for bytes, and the next one works", async () => {
    inspector = makeInspector(makeSlots(() => 1));
    const controller = new AbortController();
    const reason = new Interruption("aborted");
    const silent = {
      ...stored(sample),
      read: (_offset: number, _length: number, signal: AbortSignal) =>
        new Promise<Uint8Array>((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          controller.abort(reason);
        }),
    };
    await expect(inspector.inspect(silent, controller.signal)).rejects.toBe(reason);
    expect(await inspector.inspect(stored(sample), forever)).toMatchObject({ outcome: "whole" });
  });

  test("what the store throws comes through", async () => {
    inspector = makeInspector(makeSlots(() => 1));
    const fault = new Interruption("store-unreachable");
    const gone = { ...stored(sample), read: () => Promise.reject(fault) };
    await expect(inspector.inspect(gone, forever)).rejects.toBe(fault);
  });

  test("a file that keeps its thread busy for too long is called broken", async () => {
    inspector = makeInspector(
      makeSlots(() => 1),
      20,
    );
    // A GIF of 350,000 empty blocks: legal as far as it goes, and some 100 ms of work without a question.
    const header = bytesOf("image.gif").subarray(0, 13);
    header[10] = 0;
    const blocks = Buffer.alloc(1024 * 1024, Buffer.from([0x21, 0xff, 0x00]));
    const hostile = stored({ file: "", container: "gif" }, Buffer.concat([header, blocks]));
    expect(await inspector.inspect(hostile, forever)).toEqual({
      outcome: "broken",
      why: "reading it takes too long, or crashes the reader",
    });
  });
});
