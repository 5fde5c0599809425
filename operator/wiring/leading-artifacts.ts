// The outputs of a term's tasks. Object storage knows no terms: what a deposed leader takes away is gone, whoever has published it by then.
import type { Artifacts } from "../reconcile/ports.ts";
import { TermOver } from "../runtime/errors.ts";

/** Takes outputs away only while `leads` says so, by a clock that a freeze does not stop; else rejects with TermOver. */
export function whileLeading(artifacts: Artifacts, leads: () => boolean): Artifacts {
  return {
    fetch: (order, settings, signal) => artifacts.fetch(order, settings, signal),
    discard: async (attemptId, task, signal) => {
      if (!leads()) throw new TermOver("discard", `the outputs of ${task.key}`);
      await artifacts.discard(attemptId, task, signal);
    },
  };
}
