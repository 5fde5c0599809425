import { expect, test } from "@jest/globals";
import { once } from "node:events";
import type { Part } from "../../../operator/runtime/lifecycle.ts";
import { makeSideProcess } from "../../../operator/wiring/side-process.ts";
import { untilItWorks } from "../../../operator/wiring/patience.ts";
import { makeManualClock } from "../runtime/manual-clock.ts";

test("a process whose store can't be reached waits a minute for it, and then ends, so that somebody sees it restart", async () => {
  const clock = makeManualClock();
  const begun = new AbortController();
  const work = (log: Parameters<typeof untilItWorks>[2]["log"]): Part => ({
    name: "receiver",
    run: async ({ stop }) => {
      begun.abort();
      await untilItWorks("Postgres", () => Promise.reject(new Error("down")), { log, signal: stop, clock });
    },
  });
  const config = { LOG_LEVEL: "error", HTTP_HOST: "127.0.0.1", HTTP_PORT: 0 } as const;
  const ended = makeSideProcess({ role: "receiver", config, work, clock }).run({
    stop: new AbortController().signal,
    force: new AbortController().signal,
  });
  await once(begun.signal, "abort");
  const early = await Promise.race([ended, clock.advance(59_000)]);
  expect(early).toBeUndefined();
  await clock.advance(5_000);
  expect(await ended).toMatchObject({
    ended: "failed",
    part: "receiver",
    error: { message: "cannot start receiver: not ready after 60000 ms" },
  });
});
