// A line of a provider's bill, however it came: by a file, or read from the provider's usage export. Pure.

export interface BilledLine {
  readonly jobId: string;
  /** Our own id as the provider shows it, if it does. */
  readonly ref: string | undefined;
  /** Micro-credits. */
  readonly amount: bigint;
  readonly billedAt: Date;
}

/** A line as it is told from all others: by its job, its moment, and its place among those that have both in common. */
export interface UsageLine extends BilledLine {
  readonly nth: number;
}

/** `lines` must hold all that a bill has of the moments in it: of two that look the same, one is the second. */
export function numbered(lines: readonly BilledLine[]): readonly UsageLine[] {
  const counts = new Map<string, number>();
  return lines.map((line) => {
    const key = `${line.billedAt.getTime()} ${line.jobId}`;
    const nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    return { ...line, nth };
  });
}
