import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { waveHeader } from "./big-wave.ts";
import { startFetch } from "./child.ts";
import { makeFixture } from "./fixture.ts";
import type { Respond } from "./sender.ts";

const MIB = 1024 * 1024;

const { sender, workshop } = makeFixture();

/** A sound of this size that is never in memory as a whole, sent as fast as it is taken. */
const huge =
  (bytes: number): Respond =>
  (_, response) => {
    const piece = Buffer.alloc(64 * 1024, 7);
    let left = bytes - 44;
    response.writeHead(200, { "content-length": bytes });
    response.write(waveHeader(left));
    const more = (): void => {
      while (left > 0) {
        const size = Math.min(piece.length, left);
        left -= size;
        if (!response.write(piece.subarray(0, size))) return;
      }
      response.end();
    };
    response.on("drain", more);
    more();
  };

describe("I10, E7: memory does not grow with the outputs", () => {
  // In use per stream: at most three parts of 8 MiB (the one before, what comes in, and both put together) and a few blocks. The
  // process takes more: up to V8's own limit of some 64 MiB for buffers that wait to be collected, and an inspector's thread.
  test.each([
    { streams: 1, outputs: 1, mib: 100, liveMib: 24 + 3, rssMib: 220 },
    { streams: 2, outputs: 3, mib: 30, liveMib: 48 + 6, rssMib: 240 },
  ])(
    "$outputs outputs of $mib MiB over $streams streams use less than $liveMib MiB of buffers",
    async (row) => {
      const urls = Array.from({ length: row.outputs }, (_, index) =>
        sender().serve(`/${row.streams}/${index}`, huge(row.mib * MIB)),
      );
      const { endpoint = "", credentials = { accessKeyId: "", secretAccessKey: "" }, ...store } = workshop().store;
      const fetch = startFetch({
        store: { ...store, endpoint, credentials },
        ...{ ports: [sender().port], urls, attemptId: randomUUID(), streams: row.streams },
      });
      const { outcome, liveBuffers, rss } = await fetch.result;
      const seen = `buffers ${Math.round(liveBuffers / MIB)} MiB, rss ${Math.round(rss / MIB)} MiB above the start`;
      expect(outcome).toMatchObject({ outcome: "published" });
      expect(liveBuffers / MIB).toBeGreaterThan(7); // the measurement itself works: one part is there
      expect([liveBuffers / MIB < row.liveMib, seen]).toEqual([true, seen]);
      expect([rss / MIB < row.rssMib, seen]).toEqual([true, seen]);
    },
    180_000,
  );
});
