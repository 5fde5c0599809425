// The log of what happened, in order, for tests that wait for an event instead of sleeping. Written in the transaction of the fact itself.
import type { DatabaseSync } from "node:sqlite";

export type EventType =
  | "submit.received"
  | "submit.accepted"
  | "submit.answered"
  | "job.queried"
  | "job.looked-up"
  | "job.listed"
  | "cancel.requested"
  | "job.finished"
  | "job.billed"
  | "output.requested"
  | "output.served"
  | "webhook.sent"
  | "request.refused";

export type EventFields = Readonly<Record<string, string | number | boolean | null>>;

/** One thing that happened. `seq` grows without ever being used twice. */
export interface ProviderEvent {
  readonly seq: number;
  readonly at: string;
  readonly type: EventType;
  readonly [field: string]: string | number | boolean | null;
}

export interface Events {
  append(type: EventType, fields: EventFields): void;
  /** Up to `limit` events after this sequence number, oldest first. */
  after(seq: number, limit: number): readonly ProviderEvent[];
  /** Calls `wake` some time after each commit that brought events; returns how to stop that. */
  follow(wake: () => void): () => void;
}

interface EventRow {
  readonly seq: number;
  readonly atMs: number;
  readonly type: EventType;
  readonly data: string;
}

export function makeEvents(db: DatabaseSync): Events {
  const insert = db.prepare("insert into events (atMs, type, data) values (?, ?, ?)");
  const select = db.prepare("select seq, atMs, type, data from events where seq > ? order by seq limit ?");
  const followers = new Set<() => void>();
  let announced = false;

  // Transactions are synchronous, so by the next turn of the event loop the fact is committed, or its event is gone with it.
  const announce = (): void => {
    if (announced) return;
    announced = true;
    setImmediate(() => {
      announced = false;
      for (const wake of [...followers]) wake();
    });
  };

  return {
    append: (type, fields) => {
      insert.run(Date.now(), type, JSON.stringify(fields));
      announce();
    },
    after: (seq, limit) => (select.all(seq, limit) as unknown as EventRow[]).map(eventOf),
    follow: (wake) => {
      followers.add(wake);
      return () => followers.delete(wake);
    },
  };
}

function eventOf(row: EventRow): ProviderEvent {
  const fields = JSON.parse(row.data) as EventFields;
  return { ...fields, seq: row.seq, at: new Date(row.atMs).toISOString(), type: row.type };
}
