import { describe, expect, test } from "@jest/globals";
import { makeBandwidth } from "../../../operator/artifacts/bandwidth.ts";
import { makeCutoff } from "../../../operator/artifacts/cutoff.ts";
import { makeBlocks, BLOCK_BYTES } from "../../../operator/artifacts/inspect/blocks.ts";
import { Interruption } from "../../../operator/artifacts/interruption.ts";
import { makePace } from "../../../operator/artifacts/pace.ts";
import fc from "fast-check";

const forever = new AbortController().signal;

describe("the pace of a download", () => {
  const limits = { stallMs: 1_000, windowMs: 10_000, minBytesPerSecond: 100 };

  test("a sender that says nothing for too long has stalled", () => {
    const pace = makePace(limits);
    pace.wait(0);
    expect(pace.judge(999)).toBe("fine");
    expect(pace.judge(1_000)).toBe("stalled");
  });

  test("the time in which our own store takes the bytes does not count", () => {
    const pace = makePace(limits);
    pace.wait(0);
    pace.got(10, 500);
    expect(pace.judge(1_000_000)).toBe("fine");
  });

  test.each([
    { bytesEvery500Ms: 49, verdict: "too-slow" },
    { bytesEvery500Ms: 50, verdict: "fine" },
  ])("$bytesEvery500Ms bytes each half second over a window are $verdict", ({ bytesEvery500Ms, verdict }) => {
    const pace = makePace(limits);
    for (let nowMs = 0; nowMs < 10_000; nowMs += 500) {
      pace.wait(nowMs);
      pace.got(bytesEvery500Ms, nowMs + 500);
    }
    expect(pace.judge(10_000)).toBe(verdict);
  });

  test("a fast beginning does not buy a slow end: every window is judged by itself", () => {
    const pace = makePace(limits);
    pace.wait(0);
    pace.got(1_000_000, 900);
    for (let nowMs = 900; nowMs < 10_400; nowMs += 500) {
      pace.wait(nowMs);
      pace.got(1, nowMs + 500);
    }
    expect(pace.judge(10_400)).toBe("fine");
    for (let nowMs = 10_400; nowMs < 20_900; nowMs += 500) {
      pace.wait(nowMs);
      pace.got(1, nowMs + 500);
    }
    expect(pace.judge(20_900)).toBe("too-slow");
  });
});

describe("the bandwidth of all downloads together", () => {
  const manual = () => {
    let now = 0;
    const wait = (afterMs: number) => Promise.resolve(void (now += afterMs));
    return { nowMs: () => now, wait };
  };

  test("so many bytes take so long, however they come", async () => {
    const time = manual();
    const bandwidth = makeBandwidth(1_000, time);
    for (let spent = 0; spent < 10_000; spent += 100) await bandwidth.spend(100, forever);
    expect(time.nowMs()).toBe(9_900); // the last piece has been let in, and its own time begins
  });

  test("what was not used before is not made up for", async () => {
    const time = manual();
    const bandwidth = makeBandwidth(1_000, time);
    await time.wait(60_000);
    for (let spent = 0; spent < 1_000; spent += 100) await bandwidth.spend(100, forever);
    expect(time.nowMs()).toBe(60_900);
  });

  test("without a limit nobody waits, and an abort ends a wait", async () => {
    await makeBandwidth(Infinity).spend(1e12, forever);
    const bandwidth = makeBandwidth(1);
    await bandwidth.spend(1_000, forever);
    const controller = new AbortController();
    const waiting = bandwidth.spend(1, controller.signal);
    controller.abort(new Interruption("aborted"));
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  });
});

describe("a cutoff", () => {
  test("ends with its own word when its parent is aborted by a stranger", () => {
    const controller = new AbortController();
    const cutoff = makeCutoff(controller.signal);
    controller.abort(new Error("shutting down"));
    expect(cutoff.signal.reason).toMatchObject({ code: "aborted" });
  });

  test("hands its parent's word on when that is one of ours", () => {
    const parent = makeCutoff(forever);
    const cutoff = makeCutoff(parent.signal);
    parent.cut("deadline");
    expect(cutoff.signal.reason).toMatchObject({ code: "deadline" });
  });

  test("ends with what is said first", () => {
    const cutoff = makeCutoff(forever);
    cutoff.cut("stalled");
    cutoff.cut("deadline");
    expect(cutoff.signal.reason).toMatchObject({ code: "stalled" });
  });

  test("a parent that has ended already ends it at once", () => {
    expect(makeCutoff(AbortSignal.abort()).signal.aborted).toBe(true);
  });
});

describe("blocks", () => {
  test("any reads give the bytes that are there, and every block is fetched once when read in order", async () => {
    const bytes = Buffer.from(Array.from({ length: 5 * BLOCK_BYTES + 17 }, (_, index) => index % 251));
    const fetched: number[] = [];
    const blocks = makeBlocks(bytes.length, (offset, length) => {
      fetched.push(offset);
      return Promise.resolve(bytes.subarray(offset, offset + length));
    });
    for (let offset = 0; offset < bytes.length; offset += 300_000) {
      expect((await blocks.read(offset, 300_000)).equals(bytes.subarray(offset, offset + 300_000))).toBe(true);
    }
    expect(fetched).toEqual([0, 1, 2, 3, 4, 5].map((index) => index * BLOCK_BYTES));
  });

  test("reads at random places give the bytes that are there", async () => {
    const bytes = Buffer.from(Array.from({ length: 6 * BLOCK_BYTES + 1 }, (_, index) => index % 253));
    const blocks = makeBlocks(bytes.length, (offset, length) =>
      Promise.resolve(bytes.subarray(offset, offset + length)),
    );
    const place = fc.tuple(fc.nat(bytes.length + 10), fc.nat(2 * BLOCK_BYTES));
    await fc.assert(
      fc.asyncProperty(place, async ([offset, length]) => {
        expect((await blocks.read(offset, length)).equals(bytes.subarray(offset, offset + length))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
