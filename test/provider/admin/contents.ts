// The record as tests read it: jobs, requests, bills, servings and webhooks, of all or of one reference or job.
import type { Job } from "../record/jobs.ts";
import type { BillRecord } from "../record/bills.ts";
import type { ProviderRecord } from "../record/record.ts";
import type { RequestRecord } from "../record/requests.ts";
import type { ServedRecord } from "../record/served.ts";
import type { WebhookRecord } from "../record/webhooks.ts";
import { stateAt } from "../jobs/state.ts";

/** An accepted job; money is decimal credits, times are ISO. `billed` is null as long as nothing was. */
export interface JobRecord {
  readonly id: string;
  readonly reference: string;
  readonly ref: string | null;
  readonly idempotencyKey: string | null;
  readonly model: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly webhook: string | null;
  readonly requestId: number;
  readonly createdAt: string;
  readonly endsAt: string;
  readonly state: string;
  readonly finishedAt: string | null;
  readonly cancelRequestedAt: string | null;
  readonly billed: string | null;
}

export interface RecordContents {
  readonly jobs: readonly JobRecord[];
  readonly requests: readonly RequestRecord[];
  readonly billed: readonly BillRecord[];
  readonly served: readonly ServedRecord[];
  readonly webhooks: readonly WebhookRecord[];
}

export interface RecordFilter {
  readonly reference?: string | undefined;
  readonly job?: string | undefined;
  /** Of the requests alone. */
  readonly operation?: string | undefined;
  /** Requests with a higher id alone. */
  readonly after?: number | undefined;
  /** Of the requests; 1000 if it is left out, 100,000 at most. */
  readonly limit?: number | undefined;
}

const DEFAULT_LIMIT = 1_000;

export function contentsOf(record: ProviderRecord, filter: RecordFilter, nowMs: number): RecordContents {
  return {
    jobs: record.jobs.all(filter).map((job) => jobRecordOf(record, job, nowMs)),
    requests: record.requests.list({ ...filter, limit: filter.limit ?? DEFAULT_LIMIT }),
    billed: record.bills.list(filter),
    served: record.served.list(filter),
    webhooks: record.webhooks.list(filter),
  };
}

function jobRecordOf(record: ProviderRecord, job: Job, nowMs: number): JobRecord {
  const { id, reference, ref, idempotencyKey, model, input, webhook, requestId } = job;
  return {
    ...{ id, reference, ref, idempotencyKey, model, input, webhook, requestId },
    createdAt: iso(job.createdMs),
    endsAt: iso(job.endsMs),
    state: stateAt(job, nowMs),
    finishedAt: job.finishedMs === null ? null : iso(job.finishedMs),
    cancelRequestedAt: job.cancelRequestedMs === null ? null : iso(job.cancelRequestedMs),
    billed: record.bills.amountOf(id) ?? null,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
