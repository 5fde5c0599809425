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
  test.each([
    { when: "the first time", fetches: 0, ms: 40 * SECOND, mark: { type: "fetch-again" } },
    {
      when: "soon after a fetch that failed for another reason",
      fetches: 1,
      ms: SECOND,
      mark: { type: "fetch-again" },
    },
    { when: "many times within half a minute", fetches: 9, ms: 29 * SECOND, mark: { type: "fetch-again" } },
    { when: "again, after half a minute", fetches: 1, ms: 30 * SECOND, mark: gone },
    { when: "once, when the outputs' time is over", fetches: 0, ms: 60 * MINUTE, mark: gone },
  ])("outputs that are expired $when: $mark.type, and never a new job", ({ fetches, mark, ms }) => {
    expect(fetch({ outcome: "expired" }, ready({ fetches }), after(NOON, ms))).toMatchObject(mark);
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
    expect(fetch(interrupted, ready({ fetches: 99 }), after(NOON, 59 * MINUTE))).toMatchObject({ type: "fetch-again" });
    expect(fetch(interrupted, ready({ fetches: 99 }), after(NOON, 60 * MINUTE))).toMatchObject({
      type: "end",
      ending: { task: { reason: "FetchFailed" } },
    });
  });
});
