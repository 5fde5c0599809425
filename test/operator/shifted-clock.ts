// Preloaded into the operator's process by NODE_OPTIONS: every Date that is made of the present, and Date.now, are off by
// GENOP_CLOCK_SHIFT_MS. Clocks that only measure durations are left alone, as a wrong wall clock leaves them.
const shiftMs = Number(process.env.GENOP_CLOCK_SHIFT_MS ?? "0");
const TrueDate = Date;

class ShiftedDate extends TrueDate {
  constructor(...values: readonly unknown[]) {
    if (values.length === 0) super(TrueDate.now() + shiftMs);
    else super(...(values as [number]));
  }

  static override now(): number {
    return TrueDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
