// The arithmetic of measured rows: spread, ratios round by round, and whether a requirement is met. Pure.
import type { Required, Result } from "./bench.ts";

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The middle value, or the mean of the two in the middle. Throws for no values. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error("cannot take the median of no values");
  return (lower + upper) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: medianOf(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The value below which this share of them lies, by nearest rank. Throws for no values. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error("cannot take a percentile of no values");
  return value;
}

/** Ours over theirs, round by round. Throws when a round is missing on one side. */
export function quotientsOf(ours: readonly number[], theirs: readonly number[]): readonly number[] {
  if (ours.length !== theirs.length) throw new Error("cannot compare rows: one has more rounds than the other");
  return ours.map((value, round) => value / (theirs[round] ?? NaN));
}

/** How much better we are than each baseline, by the median of the rounds; above 1 we are ahead, whatever is measured. */
export function ratiosOf({ ours, baselines, better }: Result): Readonly<Record<string, number>> {
  const ahead = (theirs: readonly number[]): number => {
    const quotient = medianOf(quotientsOf(ours, theirs));
    return better === "more" ? quotient : 1 / quotient;
  };
  return Object.fromEntries(Object.entries(baselines).map(([name, theirs]) => [name, ahead(theirs)]));
}

export interface Judged {
  readonly measure: string;
  /** "≥ 0.9 × bare-loop", "≤ 40 ms in every round". */
  readonly required: string;
  /** In the same terms; undefined when the baseline was left out. */
  readonly measured: number | undefined;
  readonly isMet: boolean | undefined;
}

/** Every requirement of a result, with what was measured for it. */
export function judge(result: Result): readonly Judged[] {
  return result.required.map((required) => {
    const measured = measuredFor(result, required);
    const bound = "limit" in required ? required.limit : required.times;
    const isMet = measured === undefined ? undefined : result.better === "more" ? measured >= bound : measured <= bound;
    return { measure: result.measure, required: wordsOf(result, required), measured, isMet };
  });
}

function measuredFor({ ours, baselines, better }: Result, required: Required): number | undefined {
  if ("against" in required) {
    const theirs = baselines[required.against];
    return theirs && medianOf(quotientsOf(ours, theirs));
  }
  if (required.of === "median") return medianOf(ours);
  return better === "more" ? Math.min(...ours) : Math.max(...ours);
}

function wordsOf({ better, unit }: Result, required: Required): string {
  const sign = better === "more" ? "≥" : "≤";
  if ("against" in required) return `${sign} ${required.times} × ${required.against}`;
  const bound = [required.limit, unit].filter((part) => part !== "").join(" ");
  return `${sign} ${bound}${required.of === "worst" ? " in every round" : ""}`;
}
