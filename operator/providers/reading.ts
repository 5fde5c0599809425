// Expressions over a stranger's answer, within a time: what runs out of it was not read.
import { OutOfTime, makeTimeLimit } from "./bounded-time.ts";
import { isShort, type Effort } from "./effort.ts";

export interface Reading {
  /** A request, or undefined when it cannot be made of these values. */
  build<Value>(effort: Effort, make: () => Value): Value | undefined;
  /** What was read, or `instead` when the reading does not come to an end. */
  read<Value>(effort: Effort, instead: Value, judge: () => Value): Value;
}

// For all expressions of one answer together. Generous: a throttled container must not lose a job id to it.
const READING_MS = 1000;

/** Make one for all accounts and keep it: see TimeLimit. */
export function makeReading(): Reading {
  const limited = makeTimeLimit();
  // On a busy machine the watchdog's thread is waited for, for milliseconds in which the whole process stands still.
  const within = <Value>(effort: Effort, work: () => Value): Value =>
    isShort(effort) ? work() : limited(READING_MS, work);
  return {
    build: (effort, make) => {
      try {
        return within(effort, make);
      } catch {
        return undefined;
      }
    },
    read: (effort, instead, judge) => {
      try {
        return within(effort, judge);
      } catch (error) {
        if (error instanceof OutOfTime) return instead;
        throw error;
      }
    },
  };
}
