// What was sent of each output, byte for byte: the digest is of the bytes that left, not of those that should have.
import type { DatabaseSync } from "node:sqlite";

export interface Serving {
  readonly requestId: number;
  readonly jobId: string;
  readonly name: string;
  readonly fault: string;
  readonly status: number | null;
  readonly mediaType: string | null;
  readonly bytes: number;
  readonly sha256: string;
  /** Whether all that was meant to be sent left, and the client was there to the end. */
  readonly complete: boolean;
}

/** One serving as tests see it. */
export interface ServedRecord extends Serving {
  readonly at: string;
}

export interface Served {
  add(serving: Serving): void;
  list(filter: { readonly reference?: string | undefined; readonly job?: string | undefined }): readonly ServedRecord[];
}

type ServedRow = Omit<ServedRecord, "at" | "complete"> & { readonly atMs: number; readonly complete: number };

export function makeServed(db: DatabaseSync): Served {
  const insert = db.prepare(
    `insert into served (requestId, jobId, name, fault, status, mediaType, bytes, sha256, complete, atMs)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const select = db.prepare(
    `select s.requestId, s.jobId, s.name, s.fault, s.status, s.mediaType, s.bytes, s.sha256, s.complete, s.atMs
       from served s join jobs j on j.id = s.jobId
      where (:reference is null or j.reference = :reference) and (:job is null or s.jobId = :job) order by s.id`,
  );

  return {
    add: (one) => {
      const whose = [one.requestId, one.jobId, one.name, one.fault];
      const what = [one.status, one.mediaType, one.bytes, one.sha256, one.complete ? 1 : 0];
      insert.run(...whose, ...what, Date.now());
    },
    list: ({ reference = null, job = null }) =>
      (select.all({ reference, job }) as unknown as ServedRow[]).map(({ atMs, complete, ...row }) => ({
        ...row,
        complete: complete === 1,
        at: new Date(atMs).toISOString(),
      })),
  };
}
