// Webhook deliveries: planned in the transaction of their cause, sent later, so that a restart still sends what is owed.
import type { DatabaseSync } from "node:sqlite";

/** How a delivery is signed: truly, or with another secret. */
export type Signed = "true" | "forged";

export interface Delivery {
  readonly id: number;
  /** The same for all tries and duplicates of one event. */
  readonly messageId: string;
  readonly jobId: string;
  readonly type: string;
  readonly url: string;
  readonly payload: string;
  readonly fault: string | null;
  readonly signed: Signed;
  readonly dueMs: number;
  readonly attempt: number;
}

/** A delivery as tests see it: `at` is null until it was tried, `status` is null when nobody answered. */
export interface WebhookRecord {
  readonly id: number;
  readonly messageId: string;
  readonly jobId: string;
  readonly type: string;
  readonly attempt: number;
  readonly fault: string | null;
  readonly at: string | null;
  readonly status: number | null;
}

export interface Webhooks {
  plan(delivery: Omit<Delivery, "id">): void;
  dueBy(ms: number): readonly Delivery[];
  nextDueMs(): number | undefined;
  tried(id: number, status: number | null): void;
  list(filter: {
    readonly reference?: string | undefined;
    readonly job?: string | undefined;
  }): readonly WebhookRecord[];
}

export function makeWebhooks(db: DatabaseSync): Webhooks {
  const insert = db.prepare(
    "insert into webhooks (messageId, jobId, type, url, payload, fault, signed, dueMs, attempt) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const due = db.prepare(
    `select id, messageId, jobId, type, url, payload, fault, signed, dueMs, attempt from webhooks
      where atMs is null and dueMs <= ? order by dueMs, id limit 100`,
  );
  const next = db.prepare("select min(dueMs) as ms from webhooks where atMs is null");
  const tried = db.prepare("update webhooks set atMs = ?, status = ? where id = ?");
  const select = db.prepare(
    `select w.id, w.messageId, w.jobId, w.type, w.attempt, w.fault, w.atMs, w.status from webhooks w left join jobs j on j.id = w.jobId
      where (:reference is null or j.reference = :reference) and (:job is null or w.jobId = :job) order by w.id`,
  );

  return {
    plan: ({ messageId, jobId, type, url, payload, fault, signed, dueMs, attempt }) =>
      void insert.run(messageId, jobId, type, url, payload, fault, signed, dueMs, attempt),
    dueBy: (ms) => due.all(ms) as unknown as Delivery[],
    nextDueMs: () => (next.get() as { ms: number | null }).ms ?? undefined,
    tried: (id, status) => void tried.run(Date.now(), status, id),
    list: ({ reference = null, job = null }) => {
      const rows = select.all({ reference, job }) as unknown as (Omit<WebhookRecord, "at"> & {
        readonly atMs: number | null;
      })[];
      return rows.map(({ atMs, ...row }) => ({ ...row, at: atMs === null ? null : new Date(atMs).toISOString() }));
    },
  };
}
