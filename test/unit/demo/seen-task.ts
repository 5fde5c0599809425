// Tasks, attempts and jobs as the demo sees them, with what a row of a table is not about filled in.
import type { AttemptLine } from "../../../operator/postgres/reports.ts";
import type { AttemptId, MicroCredits, ProviderJobId, TaskKey } from "../../../operator/task/brand.ts";
import type { TaskStatus } from "../../../operator/task/resource.ts";
import type { SeenTask } from "../../operator/watcher.ts";
import type { JobRecord } from "../../provider/admin/contents.ts";

export const NOON = "2026-11-30T12:00:00Z";

export function seenTask(name: string, status?: TaskStatus): SeenTask {
  return { metadata: { name, namespace: "studio", creationTimestamp: NOON }, ...(status && { status }) };
}

export function attemptLine(overrides: Partial<Record<keyof AttemptLine, unknown>> = {}): AttemptLine {
  return {
    taskKey: "studio/one" as TaskKey,
    number: 1,
    attemptId: "attempt-1" as AttemptId,
    provider: "simulated",
    state: "ended",
    reason: "Succeeded",
    jobId: "job-1" as ProviderJobId,
    sent: true,
    charge: 10_000n as MicroCredits,
    taskParked: false,
    ...overrides,
  } as AttemptLine;
}

export function jobRecord(overrides: Partial<JobRecord> = {}): JobRecord {
  return {
    id: "job-1",
    reference: "studio/one",
    ref: "attempt-1",
    idempotencyKey: null,
    model: "sim-image",
    input: {},
    webhook: null,
    requestId: 1,
    createdAt: NOON,
    endsAt: NOON,
    state: "done",
    finishedAt: NOON,
    cancelRequestedAt: null,
    billed: "0.01",
    ...overrides,
  };
}
