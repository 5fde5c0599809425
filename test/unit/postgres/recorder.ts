// A transaction that answers by a script and keeps what it was given. That a statement does what it says is proved on Postgres.
import type { FencedTransaction } from "../../../operator/postgres/fence.ts";
import type { Statement } from "../../../operator/postgres/transaction.ts";
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
  const answer = (statement: Statement, values: readonly unknown[] = []): readonly object[] => {
    const text = typeof statement === "string" ? statement : statement.text;
    const script = scripts.find(([words]) => words.test(text));
    if (!script) throw new Error(`cannot answer: no script knows this statement: ${text}`);
    runs.push({ text, values });
    return script[1];
  };
  return {
    runs,
    transaction: {
      epoch: 4n as Epoch,
      rows: <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
        Promise.resolve(answer(statement, values) as readonly Row[]), // what a script says is what its test means
      count: (statement, values) => Promise.resolve(answer(statement, values).length),
    },
  };
}
