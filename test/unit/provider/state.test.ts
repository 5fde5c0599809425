// A job's state follows from its recorded times alone.
import { describe, expect, test } from "@jest/globals";
import { amountOf, microOf } from "../../provider/jobs/money.ts";
import { endingOf, hasOutputs, isLost, progressAt, stateAt } from "../../provider/jobs/state.ts";
import type { Job } from "../../provider/record/jobs.ts";
import { Simulate } from "../../provider/schema/simulate.ts";

const job = (over: Partial<Job> = {}, simulate: unknown = {}): Job => ({
  seq: 1,
  id: "job_1",
  reference: "studio/a",
  ref: null,
  idempotencyKey: null,
  bodyHash: "",
  model: "acme-image-1",
  price: "0.01",
  input: {},
  simulate: Simulate.parse(simulate),
  webhook: null,
  outputToken: "token",
  requestId: 1,
  createdMs: 1_000,
  visibleMs: 1_000,
  startsMs: 2_000,
  endsMs: 12_000,
  held: false,
  cancelRequestedMs: null,
  cancelAtMs: null,
  finalState: null,
  finishedMs: null,
  ...over,
});

describe("an unfinished job", () => {
  test.each([
    { atMs: 1_999, state: "queued", progress: 0 },
    { atMs: 2_000, state: "running", progress: 0 },
    { atMs: 7_000, state: "running", progress: 50 },
    { atMs: 99_000, state: "running", progress: 99 },
  ])("is $state at $progress % at $atMs ms", ({ atMs, state, progress }) => {
    expect([stateAt(job(), atMs), progressAt(job(), atMs)]).toEqual([state, progress]);
  });

  test.each([
    { when: "by itself", over: {}, ending: { state: "done", atMs: 12_000 } },
    { when: "by an earlier cancel", over: { cancelAtMs: 5_000 }, ending: { state: "cancelled", atMs: 5_000 } },
    { when: "by itself, before a later cancel", over: { cancelAtMs: 12_001 }, ending: { state: "done", atMs: 12_000 } },
    {
      when: "by itself, in a tie with a cancel",
      over: { cancelAtMs: 12_000 },
      ending: { state: "done", atMs: 12_000 },
    },
    { when: "not at all while it is held", over: { held: true }, ending: undefined },
    {
      when: "by a cancel though it is held",
      over: { held: true, cancelAtMs: 99_000 },
      ending: { state: "cancelled", atMs: 99_000 },
    },
  ])("ends $when", ({ over, ending }) => {
    expect(endingOf(job(over))).toEqual(ending);
  });
});

describe("a finished job", () => {
  const done = { finalState: "done", finishedMs: 12_000 } as const;

  test.each([
    { end: "done", atMs: 12_000, outputs: true, lost: false },
    { end: "done-without-output", atMs: 99_000, outputs: false, lost: false },
    { end: "done-outputs-late", atMs: 14_999, outputs: false, lost: false },
    { end: "done-outputs-late", atMs: 15_000, outputs: true, lost: false },
    { end: "lost", atMs: 12_000, outputs: true, lost: true },
  ])("that ends $end has outputs at $atMs ms: $outputs", ({ end, atMs, outputs, lost }) => {
    const ended = job(done, { end });
    expect([hasOutputs(ended, atMs), isLost(ended)]).toEqual([outputs, lost]);
  });

  test("keeps the progress that it had when it was cancelled", () => {
    expect(progressAt(job({ finalState: "cancelled", finishedMs: 7_000 }), 99_000)).toBe(50);
  });
});

test.each([
  { amount: "0.10", micro: 100_000n, shown: "0.10" },
  { amount: "12", micro: 12_000_000n, shown: "12.00" },
  { amount: "0.000001", micro: 1n, shown: "0.000001" },
  { amount: "3.125", micro: 3_125_000n, shown: "3.125" },
])("$amount credits are $micro millionths, shown as $shown", ({ amount, micro, shown }) => {
  expect([microOf(amount), amountOf(microOf(amount))]).toEqual([micro, shown]);
});
