// The webhook inbox: handing a message in with the receiver's few rights, and the leader's reading of what came.
import type { Pool, PoolClient } from "pg";
import type { Noted } from "../reconcile/ports.ts";
import type { AttemptId, ProviderJobId } from "../task/brand.ts";
import type { Pruning } from "./calls.ts";
import { faultOf } from "./faults.ts";
import { inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { readRows } from "./transaction.ts";

export interface Handed {
  readonly attemptId: string;
  readonly digest: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** True when it is new. Resolves when it is on disk, or is one that needs no row. */
export async function handIn(pool: Pool, { attemptId, body, digest, headers }: Handed): Promise<boolean> {
  try {
    const { rows } = await pool.query<{ is_new: boolean }>("select genop.receive_webhook($1, $2, $3, $4) as is_new", [
      attemptId,
      digest,
      JSON.stringify(headers),
      body,
    ]);
    return rows[0]?.is_new ?? false;
  } catch (error) {
    throw faultOf(error);
  }
}

export interface Unread {
  readonly id: bigint;
  readonly attemptId: AttemptId;
  readonly provider: string;
  /** `namespace/name` of the object. */
  readonly objectKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly receivedAt: Date;
  readonly readAt: Date;
}

const UNREAD = `
select inbox.id, inbox.attempt_id as "attemptId", attempt.provider, task.namespace || '/' || task.name as "objectKey",
       inbox.headers, inbox.body, inbox.received_at as "receivedAt", clock_timestamp() as "readAt"
  from genop.webhook_inbox inbox
  join genop.attempts attempt on attempt.id = inbox.attempt_id
  join genop.tasks task on task.key = attempt.task_key
 where inbox.read_at is null and inbox.id > $2
 order by inbox.id limit $1`;

/** The oldest that nobody has read, of those after this one. */
export async function unread(
  pool: Pool,
  { after = 0n, atMost }: { readonly atMost: number; readonly after?: bigint },
  signal: AbortSignal,
): Promise<readonly Unread[]> {
  return readRows<Unread>(pool, UNREAD, [atMost, after], signal);
}

export interface Reading {
  readonly id: bigint;
  readonly attemptId: AttemptId;
  /** A stable word: what was made of it. */
  readonly verdict: string;
  /** Whether it counts: then the job is asked for now. */
  readonly isHint: boolean;
  /** The job that it names. */
  readonly jobId: ProviderJobId | undefined;
}

// A hint moves the next look nearer and decides nothing. Who sent it only makes us ask the provider ourselves.
const READ = `
with read as (
  update genop.webhook_inbox set read_at = clock_timestamp(), verdict = $3 where id = $1 and read_at is null returning id
), hinted as (
  update genop.attempts
     set next_poll_at = case when state = 'accepted' then least(next_poll_at, clock_timestamp()) else next_poll_at end,
         search_next_at = case when state = 'sent' then least(search_next_at, clock_timestamp()) else search_next_at end
   where id = $2 and $4 and state in ('sent', 'accepted') and exists (select from read)
  returning id, state
), late as (
  update genop.late_searches set next_at = least(next_at, clock_timestamp())
   where attempt_id = $2 and $4 and state <> 'over' and exists (select from read)
  returning attempt_id, state
)
insert into genop.claims (attempt_id, job_id)
select sought.id, $5
  from (select id from hinted where state = 'sent' union select attempt_id from late where state = 'searching') sought
 where $5::text is not null
   and (select count(*) from genop.claims where attempt_id = $2) < 8
on conflict do nothing`;

/** Writes down what was made of a message, once, and what follows from it. */
export async function noteReading(pool: Pool, fence: Fence, reading: Reading): Promise<void> {
  const { attemptId, id, isHint, jobId, verdict } = reading;
  await inTransaction(pool, fence, async (transaction) => {
    // Alone with it, but in nobody's way who only writes a row that refers to it, such as a late job's outputs.
    await transaction.rows("select from genop.attempts where id = $1 for no key update", [attemptId]);
    await transaction.rows(READ, [id, attemptId, verdict, isHint, jobId ?? null]);
    return { outcome: "done" };
  });
}

const PRUNE = `
delete from genop.webhook_inbox where id in (
  select id from genop.webhook_inbox where received_at < now() - $1 * interval '1 millisecond' order by received_at limit $2)`;

/** Deletes messages past their time, read or not: an attempt that old has been polled to its end. */
export async function pruneInbox(
  pool: Pool,
  fence: Fence,
  { atMost, olderThanMs }: Pruning,
  signal: AbortSignal,
): Promise<Noted> {
  const work = async (transaction: FencedTransaction): Promise<Noted> => {
    await transaction.count(PRUNE, [olderThanMs, atMost]);
    return { outcome: "done" };
  };
  return inTransaction(pool, fence, work, signal);
}

/**
 * Calls `heard` at each notification on the channel until the signal is aborted or the connection is lost, then gives the connection
 * back. Rejects when it is lost; who calls listens anew, and looks by itself now and then.
 */
export async function listen(
  pool: Pool,
  channel: "genop_inbox",
  heard: () => void,
  signal: AbortSignal,
): Promise<void> {
  const client: PoolClient = await pool.connect();
  const ended = Promise.withResolvers<undefined>();
  const onLost = (error: Error): void => ended.reject(faultOf(error));
  const onAbort = (): void => ended.resolve(undefined);
  client.on("notification", heard);
  client.on("error", onLost);
  client.on("end", () => ended.resolve(undefined));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) return;
    // Both at once: a connection that breaks under the statement ends both, and each end must be heard.
    await Promise.all([client.query(`listen ${channel}`), ended.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Never back into the pool: it still listens.
    client.release(true);
  }
}
