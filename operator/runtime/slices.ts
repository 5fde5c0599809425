// Long work in short pieces: other callbacks of the process get their turn in between.
import { setImmediate } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** A function that is called after every small step: undefined to go on, or a promise to await first. */
export function makeSlices(clock: Clock, sliceMs = 8): () => Promise<void> | undefined {
  let beganMs = clock.monotonicMs();
  return () => {
    if (clock.monotonicMs() - beganMs < sliceMs) return undefined;
    return setImmediate().then(() => {
      beganMs = clock.monotonicMs();
    });
  };
}

/** Every step in its order, in slices; the first ones at once. */
export async function inSlices<T>(items: Iterable<T>, clock: Clock, step: (item: T) => void): Promise<void> {
  const pause = makeSlices(clock);
  for (const item of items) {
    step(item);
    const turn = pause();
    if (turn) await turn;
  }
}
