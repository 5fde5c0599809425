import { describe, expect, test } from "@jest/globals";
import { judgeFetch } from "../../../operator/task/judge/fetch.ts";
import type { Mark } from "../../../operator/task/mark.ts";
import type { FetchOutcome } from "../../../operator/task/outcome.ts";
import { MINUTE, NOON, SECOND, after, ready, seen, settings } from "../../builders/seen.ts";

const RANDOM = 0.5;

describe("what an attempt at copying proves", () => {
  const asset = { name: "output-0", uri: "s3://b/k", mediaType: "image/png", bytes: 1, sha256: "0".repeat(64) };
  const fetch = (outcome: FetchOutcome, attempt = ready(), now = NOON): Mark =>
    judgeFetch(seen({ now }), { attempt, settings: settings() }, outcome, RANDOM);

  test("published outputs end the task, charged what was billed", () => {
    expect(fetch({ outcome: "published", assets: [asset] })).toMatchObject({
      type: "end",
      assets: [asset],
      ending: { reason: "Succeeded", charge: 60_000n, task: { phase: "Succeeded" } },
    });
  });
  test("without the provider's word a delivered job costs what was held", () => {
    expect(fetch({ outcome: "published", assets: [asset] }, ready({ cost: undefined }))).toMatchObject({
      ending: { charge: 100_000n },
    });
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
    expect(fetch({ outcome: "unusable", message: "m" })).toMatchObject({ type: "fetch-again" });
    expect(fetch({ outcome: "unusable", message: "m" }, ready({ fetches: 2 }))).toMatchObject({
      type: "end",
      ending: { task: { reason: "OutputUnusable", message: "m" } },
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
      ending: { task: { reason: "FetchFailed" } },
    });
  });
});
