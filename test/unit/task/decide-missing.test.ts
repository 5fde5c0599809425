// A task whose record the database has lost, and that waits for a person.
import { table } from "./decision-table.ts";
import type { Observation } from "../../../operator/task/observation.ts";
import { NOON, accepted, intended, ready, record, seen, settings, task, unknown } from "../../builders/seen.ts";

const provider = (overrides: Readonly<Record<string, unknown>>): { readonly provider: Observation["provider"] } => ({
  provider: { state: "ready", settings: settings(overrides) },
});
const lookUp = { capabilities: { lookupByClientID: true } };
const missing: Partial<Observation> = {
  record: record({ parked: { reason: "RecordMissing", message: "m", at: NOON } }),
};
const SHOWN = { attempt: 1, providerJobID: "job-1", phase: "NeedsReview" } as const;
const NOT_CREATED = { resolution: { attempt: 1, decision: "NotCreated" } };
const shown = (attempt: number): Partial<Observation> => ({
  task: task({
    reported: { attempt, phase: "NeedsReview" },
    wish: { resolution: { attempt, decision: "BindJob", jobID: "job-1" } },
  }),
});

table("a task whose record is missing", [
  {
    when: "of a record that is missing, the attempt is given back to the books before a job is bound to it",
    seen: seen({ ...missing, ...shown(2), ...provider({}) }),
    then: { type: "recover", number: 2, estimate: 100_000n },
  },
  {
    when: "an attempt that the status shows with a job is not declared never created",
    seen: seen({ ...missing, task: task({ reported: SHOWN, wish: NOT_CREATED }) }),
    then: { type: "rest" },
  },
  {
    when: "of a missing record, an intent that the books still have is not submitted, and not looked for either",
    seen: seen({ attempt: intended(), ...missing, ...provider(lookUp), task: task({ reported: SHOWN }) }),
    then: { type: "rest" },
  },
  {
    when: "of a missing record, an attempt whose answer is unknown is looked for, and stays parked",
    seen: seen({
      attempt: unknown(),
      ...missing,
      ...provider(lookUp),
      task: task({ reported: SHOWN }),
    }),
    then: { type: "search" },
  },
  ...[accepted(), ready()].map((attempt) => ({
    when: `a record that is no longer missing, and shows a job that is ${attempt.state}, takes the task out of review`,
    seen: seen({ attempt, ...missing, task: task({ reported: SHOWN }) }),
    then: { type: "unpark" } as const,
  })),
  {
    when: "the job of an earlier attempt is not the one that is missing",
    seen: seen({
      attempt: accepted(),
      ...missing,
      task: task({ reported: { ...SHOWN, attempt: 2 } }),
    }),
    then: { type: "poll" },
  },
]);
