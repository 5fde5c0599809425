// A table of decisions: what is seen, and the fields of the action that the row is about.
import { describe, expect, test } from "@jest/globals";
import type { Action } from "../../../operator/task/action.ts";
import { decide } from "../../../operator/task/decide/decide.ts";
import type { Observation } from "../../../operator/task/observation.ts";

interface Row {
  readonly when: string;
  readonly seen: Observation;
  readonly then: Readonly<Record<string, unknown>> & { readonly type: Action["type"] };
}

export function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    test.each(rows)("$when", (row) => {
      expect(decide(row.seen)).toMatchObject(row.then);
    });
  });
}
