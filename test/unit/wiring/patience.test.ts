// Waiting for a store: what is told of it, and how it ends.
import { expect, test } from "@jest/globals";
import { untilItWorks } from "../../../operator/wiring/patience.ts";
import { makeManualClock, settle } from "../runtime/manual-clock.ts";

function makeWait(endings: readonly string[]) {
  const clock = makeManualClock();
  const stop = new AbortController();
  const lines: string[] = [];
  const log = (level: string, event: string): void => void lines.push(`${level} ${event}`);
  let tries = 0;
  const work = (): Promise<string> => {
    const fault = endings[tries++];
    return fault === undefined ? Promise.resolve("ready") : Promise.reject(new Error(fault));
  };
  const result = untilItWorks("Postgres", work, { log, signal: stop.signal, clock });
  result.catch(() => undefined);
  return { clock, stop, lines, result, tries: () => tries };
}

test("what works at once is not worth a line", async () => {
  const { lines, result } = makeWait([]);
  expect(await result).toBe("ready");
  expect(lines).toEqual([]);
});

test("an outage is one line however long it lasts, and one when it is over", async () => {
  const { clock, lines, result } = makeWait(["down", "down", "down"]);
  await clock.advance(10_000);
  expect(await result).toBe("ready");
  expect(lines).toEqual(["error start.waiting", "info start.works"]);
});

test("another reason is told as soon as it is the reason", async () => {
  const { clock, lines, result } = makeWait(["down", "wrong password"]);
  await clock.advance(10_000);
  await result;
  expect(lines).toEqual(["error start.waiting", "error start.waiting", "info start.works"]);
});

test("whoever is stopped waits no longer and tries no more", async () => {
  const { clock, result, stop, tries } = makeWait(["down", "down"]);
  await settle();
  stop.abort(new Error("stopped"));
  await expect(result).rejects.toThrow("stopped");
  await clock.advance(60_000);
  expect(tries()).toBe(1);
});
