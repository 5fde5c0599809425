// A transaction that answers by a script and keeps what it was given. That a statement does what it says is proved on Postgres.
import type { FencedTransaction } from "../../../operator/postgres/fence.ts";
import type { Epoch } from "../../../operator/task/brand.ts";

export interface Run {
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface Recorder {
  readonly transaction: FencedTransaction;
  readonly runs: readonly Run[];
}

/** The rows of the first script whose words the statement has. Throws for a statement that none knows. */
export function recorder(scripts: readonly (readonly [words: RegExp, rows: readonly object[]])[]): Recorder {
  const runs: Run[] = [];
  const answer = (text: string, values: readonly unknown[] = []): readonly object[] => {
    const script = scripts.find(([words]) => words.test(text));
    if (!script) throw new Error(`cannot answer: no script knows this statement: ${text}`);
    runs.push({ text, values });
    return script[1];
  };
  return {
    runs,
    transaction: {
      epoch: 4n as Epoch,
      rows: <Row extends object>(text: string, values?: readonly unknown[]) =>
        Promise.resolve(answer(text, values) as readonly Row[]), // what a script says is what its test means
      count: (text, values) => Promise.resolve(answer(text, values).length),
    },
  };
}
