// Repeats what a dependency that is down makes fail, until it works or we are stopped. At start and on becoming leader only.
import type { Log } from "../observe/log.ts";
import { sleep, systemClock } from "../runtime/clock.ts";

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** The sentence is logged when it changes, so that an outage is one line and not a thousand. Rejects when aborted. */
export async function untilItWorks<Result>(
  what: string,
  work: (signal: AbortSignal) => Promise<Result>,
  log: Log,
  signal: AbortSignal,
): Promise<Result> {
  let told = "";
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(LONGEST_MS, waitMs * 2)) {
    signal.throwIfAborted();
    try {
      return await work(signal);
    } catch (error) {
      signal.throwIfAborted();
      const sentence = error instanceof Error ? error.message : "an unknown error";
      if (sentence !== told) log("error", "start.waiting", { what, error });
      told = sentence;
      await sleep(systemClock, waitMs, signal);
    }
  }
}
