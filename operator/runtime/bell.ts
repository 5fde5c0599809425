// Waking one sleeper before its time.
import type { Cancel, Clock } from "./clock.ts";

export interface Bell {
  ring(): void;
  /** Forgets that it was rung. */
  hush(): void;
  /** Resolves when it rings or has rung, or after the time. */
  heard(withinMs: number): Promise<void>;
}

export function makeBell(clock: Clock): Bell {
  let isRung = false;
  let wake = (): void => undefined;
  return {
    ring: () => {
      isRung = true;
      wake();
    },
    hush: () => {
      isRung = false;
    },
    heard: (withinMs) =>
      new Promise((resolve) => {
        let cancel: Cancel = () => undefined;
        wake = () => {
          cancel();
          resolve();
        };
        if (isRung) resolve();
        else cancel = clock.after(withinMs, resolve);
      }),
  };
}
