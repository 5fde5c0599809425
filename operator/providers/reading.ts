// Expressions over a stranger's answer, within a time: what runs out of it was not read.
import { OutOfTime, withinTime } from "./bounded-time.ts";

// For all expressions of one answer together. Generous: a throttled container must not lose a job id to it.
const READING_MS = 1000;

/** The reading, or `instead` when it does not come to an end. */
export function reading<Value>(instead: Value, read: () => Value): Value {
  try {
    return withinTime(READING_MS, read);
  } catch (error) {
    if (error instanceof OutOfTime) return instead;
    throw error;
  }
}

/** A request, or undefined when it cannot be made of these values. */
export function building<Value>(build: () => Value): Value | undefined {
  try {
    return withinTime(READING_MS, build);
  } catch {
    return undefined;
  }
}
