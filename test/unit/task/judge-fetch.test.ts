import { describe, expect, test } from "@jest/globals";
import { judgeFetch } from "../../../operator/task/judge/fetch.ts";
import type { Mark } from "../../../operator/task/mark.ts";
import type { FetchOutcome } from "../../../operator/task/outcome.ts";
import { REASONS } from "../../../operator/task/reasons.ts";
import { MINUTE, NOON, SECOND, after, ready, seen, settings } from "../../builders/seen.ts";

const RANDOM = 0.5;

describe("what an attempt at copying proves", () => {
  const asset = { name: "output-0", uri: "s3://b/k", mediaType: "image/png", bytes: 1, sha256: "0".repeat(64) };
  const fetch = (outcome: FetchOutcome, attempt = ready(), now = NOON): Mark =>
    judgeFetch(seen({ now }), { attempt, settings: settings() }, outcome, RANDOM);

  test("published outputs end the task, charged what was billed", () => {
    const task = { phase: "Succeeded", reason: "AssetsPublished", message: "1 asset published" };
    expect(fetch({ outcome: "published", assets: [asset] })).toEqual({
      type: "end",
      assets: [asset],
      ending: { reason: "Succeeded", charge: 60_000n, retryAfterMs: undefined, task },
    });
    expect(fetch({ outcome: "published", assets: [asset, asset] })).toMatchObject({
      ending: { task: { message: "2 assets published" } },
    });
  });
  test("without the provider's word a delivered job costs what was held", () => {
    expect(fetch({ outcome: "published", assets: [asset] }, ready({ cost: undefined }))).toMatchObject({
      ending: { charge: 100_000n },
    });
  });
  test("without the provider's word a job whose outputs are unusable costs what was held: it was delivered", () => {
    const attempt = ready({ cost: undefined, fetches: 2 });
    expect(fetch({ outcome: "unusable", message: "m" }, attempt)).toMatchObject({ ending: { charge: 100_000n } });
  });
  const gone = {
    type: "end",
    ending: { reason: "OutputsUnusable", task: { phase: "Failed", reason: "OutputExpired" } },
  };
  const doubt = { type: "fetch-again", refetch: { expiry: "expired" } };
  test.each([
    { when: "the first time", since: undefined, ms: 40 * SECOND, mark: doubt },
    { when: "the first time, after minutes of interruptions", since: undefined, ms: 5 * MINUTE, mark: doubt },
    { when: "many times within half a minute", since: 60 * SECOND, ms: 89 * SECOND, mark: doubt },
    { when: "still, after half a minute", since: 60 * SECOND, ms: 90 * SECOND, mark: gone },
    { when: "once, when the outputs' time is over", since: undefined, ms: 60 * MINUTE, mark: gone },
  ])("outputs that are expired $when: $mark.type, and never a new job", ({ since, mark, ms }) => {
    const expiredSince = since === undefined ? undefined : after(NOON, since);
    expect(fetch({ outcome: "expired" }, ready({ fetches: 9, expiredSince }), after(NOON, ms))).toMatchObject(mark);
  });
  test("an unusable output is fetched again before it is believed", () => {
    const again = { type: "fetch-again", refetch: { expiry: "none", nextAfterMs: 2 * SECOND } };
    expect(fetch({ outcome: "unusable", message: "m" }, ready({ fetches: 1 }))).toEqual(again);
    const task = { phase: "Failed", reason: "OutputUnusable", message: "m" };
    expect(fetch({ outcome: "unusable", message: "m" }, ready({ fetches: 2 }))).toEqual({
      type: "end",
      ending: { reason: "OutputsUnusable", charge: 60_000n, retryAfterMs: undefined, task },
      assets: [],
    });
  });
  test("an interruption is waited out while the outputs may still be there", () => {
    const interrupted: FetchOutcome = { outcome: "interrupted", code: "reset", retryAfterMs: undefined };
    expect(fetch(interrupted, ready({ fetches: 99 }), after(NOON, 59 * MINUTE))).toMatchObject({
      type: "fetch-again",
      refetch: { expiry: "kept" },
    });
    expect(fetch(interrupted, ready({ fetches: 99 }), after(NOON, 60 * MINUTE))).toMatchObject({
      type: "end",
      ending: { task: { reason: "FetchFailed", message: `${REASONS.FetchFailed} (reset)` } },
    });
  });
  test("an interruption is waited out for one full fetch where outputs are kept for less", () => {
    const brief = settings({ outputs: { ttlSeconds: 60 }, timeouts: { fetchSeconds: 600 } });
    const interrupted: FetchOutcome = { outcome: "interrupted", code: "reset", retryAfterMs: undefined };
    const at = (ms: number): Mark =>
      judgeFetch(seen({ now: after(NOON, ms) }), { attempt: ready(), settings: brief }, interrupted, RANDOM);
    expect(at(10 * MINUTE - 1)).toMatchObject({ type: "fetch-again" });
    expect(at(10 * MINUTE)).toMatchObject({ type: "end" });
  });
  test("the time to the next try grows to half a minute, and is never less than is asked for", () => {
    const interrupted = (retryAfterMs?: number): FetchOutcome => ({
      outcome: "interrupted",
      code: "reset",
      retryAfterMs,
    });
    const waits = [0, 1, 2, 9].map((fetches) => fetch(interrupted(), ready({ fetches })));
    expect(waits).toMatchObject(
      [1, 2, 4, 30].map((seconds) => ({ type: "fetch-again", refetch: { nextAfterMs: seconds * SECOND } })),
    );
    expect(fetch(interrupted(90 * SECOND))).toMatchObject({ refetch: { nextAfterMs: 90 * SECOND } });
  });
});
