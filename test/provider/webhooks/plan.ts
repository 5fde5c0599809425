// Which webhooks a job owes, and when, its webhook faults included. Sends nothing: the plan is part of the record.
import { randomUUID } from "node:crypto";
import type { FinalState, Job } from "../record/jobs.ts";
import type { ProviderRecord } from "../record/record.ts";
import type { WebhookFault } from "../schema/faultNames.ts";

/** How long after the ending a reordered "running" follows. */
const REORDERED_MS = 200;

interface Notice {
  readonly type: string;
  readonly state: string;
  readonly atMs: number;
}

type Webhooked = Pick<Job, "id" | "ref" | "webhook" | "simulate" | "startsMs">;

/** The notices of a job's beginning. One that comes before the submit is answered is due at once. */
export function planAtAcceptance(record: ProviderRecord, job: Webhooked, nowMs: number): void {
  if (meets(job, "before-answer")) plan(record, job, { type: "job.queued", state: "queued", atMs: nowMs });
  if (!meets(job, "reordered")) plan(record, job, { type: "job.running", state: "running", atMs: job.startsMs });
}

export function planAtEnd(
  record: ProviderRecord,
  job: Webhooked,
  ending: { readonly state: FinalState; readonly atMs: number },
): void {
  plan(record, job, { type: `job.${ending.state}`, state: ending.state, atMs: ending.atMs });
  if (!meets(job, "reordered")) return;
  plan(record, job, { type: "job.running", state: "running", atMs: ending.atMs + REORDERED_MS });
}

function plan(record: ProviderRecord, job: Webhooked, notice: Notice): void {
  const { webhook } = job;
  if (webhook === null || !record.settings.config().webhooks) return;

  for (const { fault, jobId, signed, messageId } of copiesOf(job)) {
    const payload = JSON.stringify({
      type: notice.type,
      timestamp: new Date(notice.atMs).toISOString(),
      data: { id: jobId, ref: job.ref, state: notice.state },
    });
    const dueMs = notice.atMs + (meets(job, "late") ? job.simulate.lateMs : 0);
    const whose = { messageId, jobId: job.id, type: notice.type, url: webhook };
    record.webhooks.plan({ ...whose, payload, fault, signed, dueMs, attempt: 1 });
  }
}

interface Copy {
  readonly messageId: string;
  readonly jobId: string;
  readonly signed: "true" | "forged";
  readonly fault: WebhookFault | null;
}

/** Forged copies come beside the true one, ahead of it; a lost notice has no true copy at all. */
function copiesOf(job: Webhooked): readonly Copy[] {
  const truly: Copy = { messageId: newMessageId(), jobId: job.id, signed: "true", fault: null };
  const forgedJobId = `job_${"0".repeat(24)}`;

  return [
    ...(meets(job, "forged-job")
      ? [{ ...truly, messageId: newMessageId(), jobId: forgedJobId, fault: "forged-job" as const }]
      : []),
    ...(meets(job, "forged-signature")
      ? [{ ...truly, messageId: newMessageId(), signed: "forged" as const, fault: "forged-signature" as const }]
      : []),
    ...(meets(job, "lost") ? [] : [truly]),
    ...(meets(job, "duplicate") ? [{ ...truly, fault: "duplicate" as const }] : []),
  ];
}

function newMessageId(): string {
  return `msg_${randomUUID()}`;
}

function meets(job: Webhooked, fault: WebhookFault): boolean {
  return job.simulate.webhook.faults?.includes(fault) ?? false;
}
