// Turns a submit into a job. The caller runs this inside the transaction that precedes its answer: the job exists before anyone is told.
import { createHash, randomBytes } from "node:crypto";
import type { Job } from "../record/jobs.ts";
import type { ProviderRecord } from "../record/record.ts";
import type { Config } from "../schema/config.ts";
import type { Simulate, SubmitBody } from "../schema/simulate.ts";
import { planAtAcceptance } from "../webhooks/plan.ts";
import { billAtAcceptance, priceOf } from "./billing.ts";

/** A submit that passed all checks. */
export interface Submission {
  readonly body: SubmitBody;
  readonly simulate: Simulate;
  readonly reference: string;
  readonly idempotencyKey: string | null;
  readonly requestId: number;
}

const NEVER_MS = 10 * 365 * 24 * 3_600_000;

export function acceptJob(record: ProviderRecord, submission: Submission, nowMs: number): Job {
  const { body, simulate, reference, idempotencyKey, requestId } = submission;
  const config = record.settings.config();
  const id = `job_${randomBytes(12).toString("hex")}`;
  const startsMs = startOf(record, simulate.queueMs ?? config.queueMs, nowMs);

  record.jobs.insert({
    id,
    reference,
    ref: body.ref ?? null,
    idempotencyKey,
    bodyHash: hashOf(body),
    model: body.model,
    price: priceOf(config, body.model),
    input: body.input,
    simulate,
    webhook: body.webhook ?? null,
    outputToken: randomBytes(18).toString("base64url"),
    requestId,
    createdMs: nowMs,
    visibleMs: nowMs + (simulate.list.lagMs ?? config.listLagMs),
    startsMs,
    endsMs: simulate.end === "stuck-running" ? nowMs + NEVER_MS : startsMs + durationOf(config, simulate),
  });
  const job = record.jobs.find(id);
  if (!job) throw new Error(`cannot accept job ${id}: it was not recorded`);

  record.requests.concerns(requestId, id);
  record.events.append("submit.accepted", { jobId: id, reference, ref: job.ref, requestId });
  billAtAcceptance(record, job, nowMs);
  planAtAcceptance(record, job, nowMs);
  return job;
}

/** Two submits with one idempotency key are the same wish iff these are equal. */
export function hashOf(body: SubmitBody): string {
  return createHash("sha256").update(JSON.stringify(body)).digest("hex");
}

function durationOf(config: Config, simulate: Simulate): number {
  return simulate.durationMs ?? config.durationMs;
}

/** Beyond the limit of a provider that queues instead of refusing, a job starts when enough earlier ones are over. */
function startOf(record: ProviderRecord, queueMs: number, nowMs: number): number {
  const { inFlightLimit, overLimit } = record.settings.config();
  if (inFlightLimit === null || overLimit === "rejected") return nowMs + queueMs;

  const ends = record.jobs
    .open()
    .map((job) => job.endsMs)
    .sort((a, b) => a - b);
  const before = ends.length - inFlightLimit;
  return nowMs + queueMs + Math.max(0, (ends[before] ?? nowMs) - nowMs);
}
