// Preloaded into a process (`node --import`): SIGUSR2 sets its wall clock forward by an hour, then back by an hour, then right, and
// so on, as a correction of the machine's clock would. Clocks that never go back are left alone, as they are then.
const HOUR_MS = 3_600_000;
const STEPS_MS = [HOUR_MS, -HOUR_MS, 0];

const RightDate = Date;
let steps = 0;
let shiftMs = 0;

globalThis.Date = class extends RightDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(RightDate.now() + shiftMs);
    else super(...(given as [number]));
  }

  static override now(): number {
    return RightDate.now() + shiftMs;
  }
} as DateConstructor;

process.on("SIGUSR2", () => {
  shiftMs = STEPS_MS[steps % STEPS_MS.length] ?? 0;
  steps += 1;
});
