import { describe, expect, test } from "@jest/globals";
import { eventFor, lateEventFor } from "../../../operator/kube/task-events.ts";
import { PHASES, type TaskStatus } from "../../../operator/task/resource.ts";

type Phase = (typeof PHASES)[number];

const held = (status: "True" | "False"): TaskStatus => ({
  phase: "Pending",
  conditions: [{ type: "Held", status, reason: "Held", message: "", lastTransitionTime: "2026-11-30T12:00:00Z" }],
});

test("a job that turns up late is told once, whatever the phase", () => {
  const late = { type: "LateJob", status: "True", message: "", lastTransitionTime: "2026-11-30T12:00:00Z" } as const;
  const found: TaskStatus = { phase: "Failed", conditions: [{ ...late, reason: "LateJobFound" }] };
  const over: TaskStatus = { phase: "Failed", conditions: [{ ...late, reason: "LateJobOver" }] };
  expect(lateEventFor({ phase: "Failed" }, found)).toMatchObject({ type: "Warning", reason: "LateJob" });
  expect(lateEventFor(found, over)).toBeUndefined();
  expect(lateEventFor({}, { phase: "Failed" })).toBeUndefined();
});

const TOLD: readonly { from: Phase | undefined; to: Phase; event: string | undefined }[] = [
  { from: undefined, to: "Pending", event: undefined },
  { from: "Pending", to: "Submitting", event: undefined },
  { from: "Pending", to: "Polling", event: "Normal Submitted" },
  { from: "Submitting", to: "Polling", event: "Normal Submitted" },
  { from: "Submitting", to: "SubmitUnknown", event: "Warning SubmitUnknown" },
  { from: "Pending", to: "SubmitUnknown", event: "Warning SubmitUnknown" },
  { from: "SubmitUnknown", to: "Polling", event: "Normal Recovered" },
  { from: "SubmitUnknown", to: "Fetching", event: "Normal Recovered" },
  { from: "SubmitUnknown", to: "Pending", event: "Normal Retrying" },
  { from: "Polling", to: "Pending", event: "Normal Retrying" },
  { from: "Polling", to: "Fetching", event: undefined },
  { from: "Fetching", to: "Succeeded", event: "Normal Succeeded" },
  { from: "Polling", to: "Failed", event: "Warning Failed" },
  { from: "Pending", to: "Cancelled", event: "Normal Cancelled" },
  { from: "Pending", to: "Rejected", event: "Warning Rejected" },
  { from: "SubmitUnknown", to: "NeedsReview", event: "Warning NeedsReview" },
  { from: "NeedsReview", to: "Polling", event: "Normal Resolved" },
  { from: "NeedsReview", to: "Pending", event: "Normal Resolved" },
  { from: "NeedsReview", to: "Failed", event: "Warning Failed" },
];

describe("events of a task", () => {
  test.each(TOLD)("from $from to $to: $event", ({ from, to, event }) => {
    const told = eventFor(from === undefined ? {} : { phase: from }, { phase: to });
    expect(told && `${told.type} ${told.reason}`).toBe(event);
  });

  test.each(PHASES.map((phase) => ({ phase })))("$phase told again is no event", ({ phase }) => {
    expect(eventFor({ phase, progress: 10 }, { phase, progress: 20 })).toBeUndefined();
  });

  test("credits that become held are told once, and only of a task that was shown without them", () => {
    expect(eventFor(held("False"), held("True"))).toMatchObject({ type: "Normal", reason: "Held" });
    expect(eventFor({}, held("True"))).toBeUndefined();
    expect(eventFor(held("True"), held("True"))).toBeUndefined();
  });

  test("an end carries the sentence of its reason, never the status's own message", () => {
    const next: TaskStatus = { phase: "Failed", reason: "JobFailed", message: "values of the user" };
    expect(eventFor({ phase: "Polling" }, next)?.note).toBe("JobFailed: the provider reports that the job failed");
    const foreign: TaskStatus = { ...next, reason: "toString" };
    expect(eventFor({ phase: "Polling" }, foreign)?.note).toBe("the task failed");
  });
});
