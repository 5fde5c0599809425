// The downloads that may run at a time, each with the one part buffer it works with: memory is bounded by construction.
import { makeSlots } from "./slots.ts";
import { PART_BYTES } from "./store/upload.ts";
import type { Slot } from "./slots.ts";

export interface Stream extends Slot {
  /** Of `PART_BYTES`; not to be touched after the release. */
  readonly buffer: Buffer;
}

export interface Streams {
  /** The output that expires first comes first. Rejects with the signal's reason when aborted while waiting. */
  take(expiresAtMs: number, signal: AbortSignal): Promise<Stream>;
}

export function makeStreams(count: number): Streams {
  const slots = makeSlots(count);
  const spare: Buffer[] = [];
  return {
    async take(expiresAtMs, signal) {
      const slot = await slots.take(expiresAtMs, signal);
      const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES);
      let isHeld = true;
      return {
        buffer,
        release() {
          if (isHeld) spare.push(buffer);
          isHeld = false;
          slot.release();
        },
      };
    },
  };
}
