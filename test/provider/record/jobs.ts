// The jobs table: what was accepted, and the times from which each job's progress is computed. Decides nothing.
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import { Simulate } from "../schema/simulate.ts";

export type FinalState = "done" | "failed" | "cancelled";

/** An accepted job. All its later states follow from these times and `simulate`; `finalState` freezes them. */
export interface Job {
  readonly seq: number;
  readonly id: string;
  readonly reference: string;
  readonly ref: string | null;
  readonly idempotencyKey: string | null;
  readonly bodyHash: string;
  readonly model: string;
  /** Decimal credits. */
  readonly price: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly simulate: Simulate;
  readonly webhook: string | null;
  readonly outputToken: string;
  readonly requestId: number;
  readonly createdMs: number;
  readonly visibleMs: number;
  readonly startsMs: number;
  readonly endsMs: number;
  readonly held: boolean;
  readonly cancelRequestedMs: number | null;
  readonly cancelAtMs: number | null;
  readonly finalState: FinalState | null;
  readonly finishedMs: number | null;
}

export type NewJob = Omit<
  Job,
  "seq" | "held" | "cancelRequestedMs" | "cancelAtMs" | "finalState" | "finishedMs" | "simulate"
> & { readonly simulate: Simulate };

export interface ListWish {
  readonly ref?: string;
  readonly model?: string;
  readonly createdAfterMs?: number;
  readonly createdBeforeMs?: number;
  readonly beforeSeq?: number;
  readonly visibleAtMs: number;
  readonly limit: number;
}

export interface Jobs {
  insert(job: NewJob): void;
  find(id: string): Job | undefined;
  findByToken(outputToken: string): Job | undefined;
  findByRef(ref: string): Job | undefined;
  findByKey(idempotencyKey: string): Job | undefined;
  /** Newest first. */
  list(wish: ListWish): readonly Job[];
  /** Oldest first, for the record. */
  all(filter: { readonly reference?: string | undefined; readonly job?: string | undefined }): readonly Job[];
  open(): readonly Job[];
  openCount(): number;
  dueBy(ms: number): readonly Job[];
  nextDueMs(): number | undefined;
  setEnd(id: string, endsMs: number): void;
  /** Keeps the job running until it is given an end again. */
  hold(id: string): void;
  /** A later request never undoes or delays an earlier one. */
  setCancel(id: string, requestedMs: number, atMs: number): void;
  setFinal(id: string, state: FinalState, finishedMs: number): void;
  /** From when on look-ups and lists show it. */
  setVisible(id: string, visibleMs: number): void;
}

const COLUMNS = `seq, id, reference, ref, idempotencyKey, bodyHash, model, price, input, simulate, webhook, outputToken, requestId, createdMs, visibleMs,
  startsMs, endsMs, held, cancelRequestedMs, cancelAtMs, finalState, finishedMs`;

export function makeJobs(db: DatabaseSync): Jobs {
  const insert = db.prepare(
    `insert into jobs (id, reference, ref, idempotencyKey, bodyHash, model, price, input, simulate, webhook, outputToken, requestId, createdMs,
       visibleMs, startsMs, endsMs) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const one = (where: string): ((value: string) => Job | undefined) => {
    const select = db.prepare(`select ${COLUMNS} from jobs where ${where} order by seq limit 1`);
    return (value) => jobOf(select.get(value));
  };
  const open = db.prepare(`select ${COLUMNS} from jobs where finalState is null order by seq`);
  const openCount = db.prepare("select count(*) as n from jobs where finalState is null");
  const due = db.prepare(
    `select ${COLUMNS} from jobs where finalState is null and dueMs <= ? order by dueMs, seq limit 1000`,
  );
  const next = db.prepare("select min(dueMs) as ms from jobs where finalState is null");
  const setEnd = db.prepare("update jobs set endsMs = ?, held = 0 where id = ? and finalState is null");
  const hold = db.prepare("update jobs set held = 1 where id = ? and finalState is null");
  const setCancel = db.prepare(
    `update jobs set cancelRequestedMs = coalesce(cancelRequestedMs, :requestedMs), cancelAtMs = min(coalesce(cancelAtMs, :atMs), :atMs)
      where id = :id and finalState is null`,
  );
  const setFinal = db.prepare("update jobs set finalState = ?, finishedMs = ? where id = ? and finalState is null");
  const setVisible = db.prepare("update jobs set visibleMs = ? where id = ?");

  return {
    insert: (job) => void insert.run(...insertValues(job)),
    find: one("id = ?"),
    findByToken: one("outputToken = ?"),
    findByRef: one("ref = ?"),
    findByKey: one("idempotencyKey = ?"),
    list: (wish) => listJobs(db, wish),
    all: ({ reference = null, job = null }) =>
      jobsOf(
        db
          .prepare(
            `select ${COLUMNS} from jobs where (:reference is null or reference = :reference) and (:job is null or id = :job) order by seq`,
          )
          .all({ reference, job }),
      ),
    open: () => jobsOf(open.all()),
    openCount: () => (openCount.get() as { n: number }).n,
    dueBy: (ms) => jobsOf(due.all(ms)),
    nextDueMs: () => (next.get() as { ms: number | null }).ms ?? undefined,
    setEnd: (id, endsMs) => void setEnd.run(endsMs, id),
    hold: (id) => void hold.run(id),
    setCancel: (id, requestedMs, atMs) => void setCancel.run({ id, requestedMs, atMs }),
    setFinal: (id, state, finishedMs) => void setFinal.run(state, finishedMs, id),
    setVisible: (id, visibleMs) => void setVisible.run(visibleMs, id),
  };
}

function insertValues(job: NewJob): SQLInputValue[] {
  const asked = [job.id, job.reference, job.ref, job.idempotencyKey, job.bodyHash, job.model, job.price];
  const stored = [JSON.stringify(job.input), JSON.stringify(job.simulate), job.webhook, job.outputToken, job.requestId];
  return [...asked, ...stored, job.createdMs, job.visibleMs, job.startsMs, job.endsMs];
}

function listJobs(db: DatabaseSync, wish: ListWish): readonly Job[] {
  const rows = db
    .prepare(
      `select ${COLUMNS} from jobs
        where visibleMs <= :visibleAtMs and (:ref is null or ref = :ref) and (:model is null or model = :model)
          and (:after is null or createdMs >= :after) and (:before is null or createdMs <= :before) and (:seq is null or seq < :seq)
        order by seq desc limit :limit`,
    )
    .all({
      visibleAtMs: wish.visibleAtMs,
      ref: wish.ref ?? null,
      model: wish.model ?? null,
      after: wish.createdAfterMs ?? null,
      before: wish.createdBeforeMs ?? null,
      seq: wish.beforeSeq ?? null,
      limit: wish.limit,
    });
  return jobsOf(rows);
}

type Row = Record<string, SQLOutputValue>;

function jobsOf(rows: readonly Row[]): readonly Job[] {
  return rows.flatMap((row) => jobOf(row) ?? []);
}

function jobOf(row: Row | undefined): Job | undefined {
  if (!row) return undefined;
  return {
    ...row,
    held: row.held === 1,
    input: JSON.parse(String(row.input)) as Record<string, unknown>,
    simulate: Simulate.parse(JSON.parse(String(row.simulate))),
  } as unknown as Job;
}
