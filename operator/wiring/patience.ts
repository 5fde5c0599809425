// Repeats what a dependency that is down makes fail, until it works or we are stopped. At start and on becoming leader only.
import { sleep, systemClock, type Clock } from "../runtime/clock.ts";
import type { Log } from "../observe/log.ts";

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

export interface Patience {
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/**
 * The sentence is logged when it changes, so that an outage is one line and not a thousand, and once more when it is over.
 * Rejects when aborted.
 */
export async function untilItWorks<Result>(
  what: string,
  work: (signal: AbortSignal) => Promise<Result>,
  { log, signal, clock = systemClock }: Patience,
): Promise<Result> {
  let told = "";
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(LONGEST_MS, waitMs * 2)) {
    signal.throwIfAborted();
    try {
      const result = await work(signal);
      if (told !== "") log("info", "start.works", { what });
      return result;
    } catch (error) {
      signal.throwIfAborted();
      const sentence = error instanceof Error ? error.message : "an unknown error";
      if (sentence !== told) log("error", "start.waiting", { what, error });
      told = sentence;
      await sleep(clock, waitMs, signal);
    }
  }
}
