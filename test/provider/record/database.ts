// The durable record: one SQLite file. A commit is in the kernel's hands before the call returns, so SIGKILL at any instruction loses nothing
// that was answered or withheld (the machine's own crash is out of scope, hence no fsync).
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const TABLES = `
create table if not exists settings (name text primary key, value text not null) strict;
create table if not exists requests (
  id integer primary key autoincrement, atMs integer not null, port text not null, operation text not null, method text not null, path text not null,
  headers text not null, credential text not null, body text, reference text, ref text, subject text, n integer, fault text, jobId text,
  status integer, outcome text, endedMs integer
) strict;
create index if not exists requests_occasion on requests (operation, subject, n);
create index if not exists requests_reference on requests (reference);
create index if not exists requests_job on requests (jobId);
create table if not exists jobs (
  seq integer primary key autoincrement, id text not null unique, reference text not null, ref text, idempotencyKey text, bodyHash text not null,
  model text not null, price text not null, input text not null, simulate text not null, webhook text, outputToken text not null unique,
  requestId integer not null, createdMs integer not null, visibleMs integer not null, startsMs integer not null, endsMs integer not null,
  held integer not null default 0, cancelRequestedMs integer, cancelAtMs integer, finalState text, finishedMs integer,
  dueMs integer generated always as (case when held = 1 then cancelAtMs else min(endsMs, coalesce(cancelAtMs, endsMs)) end) virtual
) strict;
create index if not exists jobs_ref on jobs (ref);
create index if not exists jobs_key on jobs (idempotencyKey);
create index if not exists jobs_reference on jobs (reference);
create index if not exists jobs_due on jobs (dueMs) where finalState is null;
create table if not exists bills (jobId text primary key, amount text not null, atMs integer not null) strict;
create index if not exists bills_time on bills (atMs);
create table if not exists served (
  id integer primary key autoincrement, requestId integer not null, jobId text not null, name text not null, fault text not null,
  status integer, mediaType text, bytes integer not null, sha256 text not null, complete integer not null, atMs integer not null
) strict;
create index if not exists served_job on served (jobId);
create table if not exists webhooks (
  id integer primary key autoincrement, messageId text not null, jobId text not null, type text not null, url text not null, payload text not null,
  fault text, signed text not null, dueMs integer not null, attempt integer not null, atMs integer, status integer
) strict;
create index if not exists webhooks_due on webhooks (dueMs) where atMs is null;
create table if not exists events (seq integer primary key autoincrement, atMs integer not null, type text not null, data text not null) strict;
`;

const TABLE_NAMES = ["settings", "requests", "jobs", "bills", "served", "webhooks", "events"] as const;

/** Opens the record in this folder, making both where they are missing. */
export function openDatabase(dataDir: string): DatabaseSync {
  mkdirSync(dataDir, { recursive: true });
  const db = new DatabaseSync(join(dataDir, "provider.sqlite"));
  db.exec("pragma journal_mode = wal; pragma synchronous = off; pragma busy_timeout = 5000;");
  db.exec(TABLES);
  return db;
}

/** Runs `work` as one transaction: all of it is recorded, or nothing. `work` is synchronous, so nothing else comes in between. */
export function atomically<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return work();

  db.exec("begin immediate");
  try {
    const result = work();
    db.exec("commit");
    return result;
  } catch (error) {
    db.exec("rollback");
    throw error;
  }
}

/** Forgets everything but the form of the tables. */
export function clearDatabase(db: DatabaseSync): void {
  atomically(db, () => {
    for (const table of TABLE_NAMES) db.exec(`delete from ${table}`);
  });
}
