// What a bench is, and what it reports. Measures nothing itself.

export interface BenchOptions {
  /** How often each contestant runs; undefined: as often as the bench says by itself. */
  readonly rounds: number | undefined;
  /** Objects, tasks, replicas: whatever the bench counts; undefined: the size for which its requirements hold. */
  readonly size: number | undefined;
  /** Leaves out the contestants that must be installed or built first. */
  readonly bare: boolean;
  /** Aborted by Ctrl-C: whatever was started ends then. */
  readonly signal: AbortSignal;
  /** Hears about progress, a line each. */
  readonly say: (line: string) => void;
}

/** One bench. Leaves no process, file or object behind, however it ends. */
export type Bench = (options: BenchOptions) => Promise<Report>;

/** A bound that a figure must keep to. */
export type Required =
  /** The median of ours over the baseline's, round by round: at least `times` where more is better, else at most. */
  | { readonly against: string; readonly times: number }
  /** A bound on our own figure: at least where more is better, else at most; over all rounds, or of the median. */
  | { readonly limit: number; readonly of: "worst" | "median" };

export interface Result {
  /** What was measured, in a few words. */
  readonly measure: string;
  /** "objects/s", "ms", "MB", …; "" for a count. */
  readonly unit: string;
  readonly better: "more" | "less";
  /** One value a round. */
  readonly ours: readonly number[];
  /** The same of each baseline, in the same rounds; empty when there is none. */
  readonly baselines: Readonly<Record<string, readonly number[]>>;
  /** Empty for a figure that is only told. */
  readonly required: readonly Required[];
}

export interface Report {
  readonly bench: string;
  /** Sentences: what was run, against what, how large, and what the figures leave out. */
  readonly setUp: readonly string[];
  readonly results: readonly Result[];
}
