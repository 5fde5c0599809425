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
      const action = decide(row.seen);
      expect(action).toMatchObject(row.then);
      // What a person reads is a sentence, whatever the row is about.
      expect(sentenceOf(action)).not.toBe("");
    });
  });
}

/** What the action tells a person; undefined when it tells nothing. */
function sentenceOf(action: Action): string | undefined {
  switch (action.type) {
    case "end-task":
      return action.end.message;
    case "end-attempt":
      return action.ending.task?.message;
    case "park":
      return action.parked.message;
    default:
      return undefined;
  }
}
