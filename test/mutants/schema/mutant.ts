// A schema mutant: one guard less. In the database it is a statement, in a source file a piece of text taken out.

export interface Mutant {
  /** Readable, and unique: `unique attempts.attempts_one_live`. */
  readonly name: string;
  readonly change:
    | { readonly in: "database"; readonly sql: string }
    | { readonly in: "file"; readonly path: string; readonly from: number; readonly to: number; readonly text: string };
  /** Words by which the test files that are nearest to it are found. */
  readonly words: readonly string[];
}
