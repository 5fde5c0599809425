// Expressions over a stranger's answer, within a time: what runs out of it was not read.
import { OutOfTime, makeTimeLimit } from "./bounded-time.ts";

export interface Reading {
  /** A request, or undefined when it cannot be made of these values. */
  build<Value>(make: () => Value): Value | undefined;
  /** What was read, or `instead` when the reading does not come to an end. */
  read<Value>(instead: Value, judge: () => Value): Value;
}

// For all expressions of one answer together. Generous: a throttled container must not lose a job id to it.
const READING_MS = 1000;

/** Make one for all accounts and keep it: see TimeLimit. */
export function makeReading(): Reading {
  const within = makeTimeLimit();
  return {
    build: (make) => {
      try {
        return within(READING_MS, make);
      } catch {
        return undefined;
      }
    },
    read: (instead, judge) => {
      try {
        return within(READING_MS, judge);
      } catch (error) {
        if (error instanceof OutOfTime) return instead;
        throw error;
      }
    },
  };
}
