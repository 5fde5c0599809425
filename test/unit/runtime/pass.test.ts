// How a pass ends, and when its key comes again.
import { expect, test } from "@jest/globals";
import { KubeError, TerminalError } from "../../../operator/runtime/errors.ts";
import { rest, run, type Work } from "./running.ts";

const conflict = new KubeError({ status: 409, reason: "Conflict", method: "PUT", path: "/x" });
const busy = new KubeError({ status: 429, reason: "TooManyRequests", method: "PUT", path: "/x", retryAfterMs: 60_000 });

interface EndCase {
  readonly when: string;
  readonly first: Work;
  readonly passes: readonly string[];
  readonly failed: readonly string[];
  readonly ended: string;
}

const ENDS: readonly EndCase[] = [
  { when: "a pass that rests is not repeated", first: rest, passes: ["a@0"], failed: [], ended: "success" },
  {
    when: "a pass that wants to look again is repeated then",
    first: () => Promise.resolve({ afterMs: 5_000 }),
    ...{ passes: ["a@0", "a@5000"], failed: [], ended: "requeue_after" },
  },
  {
    when: "a pass that goes on is repeated at once",
    first: () => Promise.resolve({ afterMs: 0 }),
    ...{ passes: ["a@0", "a@0"], failed: [], ended: "requeue" },
  },
  {
    when: "a rejection is repeated after its backoff",
    first: () => Promise.reject(new Error("x")),
    ...{ passes: ["a@0", "a@250"], failed: ["error"], ended: "error" },
  },
  {
    when: "an exception before the first await is contained",
    first: () => {
      throw new Error("x");
    },
    ...{ passes: ["a@0", "a@250"], failed: ["error"], ended: "error" },
  },
  {
    when: "a thrown value that is no error is contained, and counted as a bug",
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- that is the case
    first: () => Promise.reject("text"),
    ...{ passes: ["a@0", "a@250"], failed: ["error", "panic"], ended: "error" },
  },
  {
    when: "a time that is none is a bug, not a spin",
    first: () => Promise.resolve({ afterMs: Number.NaN }),
    ...{ passes: ["a@0", "a@250"], failed: ["error", "panic"], ended: "error" },
  },
  {
    when: "a terminal error is not repeated",
    first: () => Promise.reject(new TerminalError("never")),
    ...{ passes: ["a@0"], failed: ["error", "terminal"], ended: "error" },
  },
  {
    when: "the wait that a server asked for is a floor",
    first: () => Promise.reject(busy),
    ...{ passes: ["a@0", "a@60000"], failed: ["error"], ended: "error" },
  },
];

test.each(ENDS)("$when", async ({ first, passes, failed, ended }) => {
  const running = await run((key, signal, count) =>
    count === 1 ? first(key, signal, count) : rest(key, signal, count),
  );
  running.controller.enqueue("a");
  await running.clock.advance(100_000);
  expect(running.passes).toEqual(passes);
  expect(running.failed).toEqual(failed);
  expect(running.ended[0]).toBe(ended);
});

test("conflicts stay cheap however many there are, other faults grow", async () => {
  const conflicting = await run(() => Promise.reject(conflict));
  conflicting.controller.enqueue("a");
  await conflicting.clock.advance(60_000);
  expect(conflicting.passes.length).toBeGreaterThan(100);

  const failing = await run(() => Promise.reject(new Error("x")));
  failing.controller.enqueue("a");
  await failing.clock.advance(60_000);
  expect(failing.passes).toEqual(["a@0", "a@250", "a@750", "a@1750", "a@3750", "a@7750", "a@15750", "a@31750"]);
});

test("what a key did wrong is forgotten when it succeeds", async () => {
  const { controller, clock, passes } = await run((_, __, count) =>
    count === 3 ? Promise.resolve({ afterMs: 10_000 }) : Promise.reject(new Error("x")),
  );
  controller.enqueue("a");
  await clock.advance(11_100);
  expect(passes).toEqual(["a@0", "a@250", "a@750", "a@10750", "a@11000"]);
});
