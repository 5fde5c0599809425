// What was billed: one line per job at most, never changed.
import type { DatabaseSync } from "node:sqlite";

/** A billed job as tests see it. `amount` is decimal credits. */
export interface BillRecord {
  readonly jobId: string;
  readonly reference: string;
  readonly ref: string | null;
  readonly model: string;
  readonly amount: string;
  readonly at: string;
}

export interface BillFilter {
  readonly reference?: string | undefined;
  readonly job?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface Bills {
  /** Bills the job; false if it was billed before. */
  add(jobId: string, amount: string, atMs: number): boolean;
  amountOf(jobId: string): string | undefined;
  list(filter: BillFilter): readonly BillRecord[];
}

export function makeBills(db: DatabaseSync): Bills {
  const insert = db.prepare("insert into bills (jobId, amount, atMs) values (?, ?, ?) on conflict (jobId) do nothing");
  const find = db.prepare("select amount from bills where jobId = ?");
  const select = db.prepare(
    `select b.jobId, j.reference, j.ref, j.model, b.amount, b.atMs from bills b join jobs j on j.id = b.jobId
      where (:reference is null or j.reference = :reference) and (:job is null or b.jobId = :job)
        and (:fromMs is null or b.atMs >= :fromMs) and (:toMs is null or b.atMs < :toMs)
      order by b.atMs, j.seq`,
  );

  return {
    add: (jobId, amount, atMs) => insert.run(jobId, amount, atMs).changes === 1,
    amountOf: (jobId) => (find.get(jobId) as { readonly amount: string } | undefined)?.amount,
    list: ({ reference = null, job = null, fromMs = null, toMs = null }) => {
      const rows = select.all({ reference, job, fromMs, toMs }) as unknown as (Omit<BillRecord, "at"> & {
        readonly atMs: number;
      })[];
      return rows.map(({ atMs, ...row }) => ({ ...row, at: new Date(atMs).toISOString() }));
    },
  };
}
