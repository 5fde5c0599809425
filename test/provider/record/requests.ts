// Every request that reached the public API, those that were refused or met a fault included. Holds no credential.
import type { DatabaseSync, SQLInputValue } from "node:sqlite";

export type Operation =
  "submit" | "redirected-submit" | "query" | "look-up" | "list" | "cancel" | "output" | "usage" | "unknown";

export type Credential = "valid" | "wrong" | "absent";

/** How a request ended for the provider: it sent what it meant to, it withheld the answer, or the client went first. */
export type Outcome = "answered" | "withheld" | "aborted";

export interface Arrival {
  readonly port: "main" | "mirror";
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly credential: Credential;
}

/** What the request turned out to be about. `subject` is what "the n-th" counts within. */
export interface Matter {
  readonly subject: string;
  readonly reference?: string | null;
  readonly ref?: string | null;
  readonly jobId?: string | null;
}

/** A request as tests see it. */
export interface RequestRecord {
  readonly id: number;
  readonly at: string;
  readonly port: "main" | "mirror";
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly credential: Credential;
  readonly body: string | null;
  readonly reference: string | null;
  readonly ref: string | null;
  readonly n: number | null;
  readonly fault: string | null;
  readonly jobId: string | null;
  readonly status: number | null;
  readonly outcome: Outcome | null;
  readonly endedAt: string | null;
}

export interface RequestFilter {
  readonly reference?: string | undefined;
  readonly job?: string | undefined;
  readonly operation?: string | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

export interface Requests {
  arrived(arrival: Arrival): number;
  bodyRead(id: number, body: string): void;
  /** Counts this request among those with the same operation and subject; returns n, from 1. */
  counted(id: number, operation: Operation, matter: Matter): number;
  met(id: number, fault: string): void;
  concerns(id: number, jobId: string): void;
  ended(id: number, status: number | null, outcome: Outcome): void;
  /** Submits received at or after this moment, this one included. */
  submitsSince(ms: number): number;
  /** Queries of this job that arrived at or after this moment. */
  queriesSince(jobId: string, ms: number): number;
  list(filter: RequestFilter): readonly RequestRecord[];
  countOf(operation: Operation): number;
  faultsMet(): Readonly<Record<string, number>>;
}

type RequestRow = Omit<RequestRecord, "at" | "headers" | "endedAt"> & {
  readonly atMs: number;
  readonly headers: string;
  readonly endedMs: number | null;
};

export function makeRequests(db: DatabaseSync): Requests {
  const insert = db.prepare(
    "insert into requests (atMs, port, operation, method, path, headers, credential) values (?, ?, ?, ?, ?, ?, ?)",
  );
  const setBody = db.prepare("update requests set body = ? where id = ?");
  const highest = db.prepare("select coalesce(max(n), 0) as n from requests where operation = ? and subject = ?");
  const setMatter = db.prepare(
    "update requests set subject = ?, n = ?, reference = ?, ref = ?, jobId = coalesce(?, jobId) where id = ?",
  );
  const setFault = db.prepare("update requests set fault = ? where id = ?");
  const setJob = db.prepare("update requests set jobId = ? where id = ?");
  const setEnd = db.prepare(
    "update requests set status = ?, outcome = ?, endedMs = ? where id = ? and outcome is null",
  );
  const since = db.prepare("select count(*) as n from requests where operation = 'submit' and atMs >= ?");
  const queries = db.prepare(
    "select count(*) as n from requests where operation = 'query' and subject = ? and atMs >= ?",
  );
  const count = db.prepare("select count(*) as n from requests where operation = ?");
  const faults = db.prepare(
    "select fault, count(*) as n from requests where fault is not null and fault <> 'none' group by fault order by fault",
  );

  return {
    arrived: ({ port, operation, method, path, headers, credential }) =>
      Number(
        insert.run(Date.now(), port, operation, method, path, JSON.stringify(headers), credential).lastInsertRowid,
      ),
    bodyRead: (id, body) => setBody.run(body, id),
    counted: (id, operation, { subject, reference = null, ref = null, jobId = null }) => {
      const n = numberOf(highest.get(operation, subject)) + 1;
      setMatter.run(subject, n, reference, ref, jobId, id);
      return n;
    },
    met: (id, fault) => setFault.run(fault, id),
    concerns: (id, jobId) => setJob.run(jobId, id),
    ended: (id, status, outcome) => setEnd.run(status, outcome, Date.now(), id),
    submitsSince: (ms) => numberOf(since.get(ms)),
    queriesSince: (jobId, ms) => numberOf(queries.get(jobId, ms)),
    list: (filter) => listRequests(db, filter),
    countOf: (operation) => numberOf(count.get(operation)),
    faultsMet: () =>
      Object.fromEntries((faults.all() as unknown as { fault: string; n: number }[]).map(({ fault, n }) => [fault, n])),
  };
}

function numberOf(row: unknown): number {
  return (row as { readonly n: number }).n;
}

const COLUMNS =
  "id, atMs, port, operation, method, path, headers, credential, body, reference, ref, n, fault, jobId, status, outcome, endedMs";

function listRequests(db: DatabaseSync, filter: RequestFilter): readonly RequestRecord[] {
  const values: Record<string, SQLInputValue> = {
    reference: filter.reference ?? null,
    job: filter.job ?? null,
    operation: filter.operation ?? null,
    after: filter.after ?? 0,
    limit: filter.limit,
  };
  const rows = db
    .prepare(
      `select ${COLUMNS} from requests
        where id > :after and (:reference is null or reference = :reference) and (:job is null or jobId = :job)
          and (:operation is null or operation = :operation)
        order by id limit :limit`,
    )
    .all(values) as unknown as RequestRow[];
  return rows.map(recordOf);
}

function recordOf({ atMs, endedMs, headers, ...row }: RequestRow): RequestRecord {
  return {
    ...row,
    at: new Date(atMs).toISOString(),
    headers: JSON.parse(headers) as Readonly<Record<string, unknown>>,
    endedAt: endedMs === null ? null : new Date(endedMs).toISOString(),
  };
}
