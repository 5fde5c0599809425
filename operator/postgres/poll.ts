// Marks of a job that exists: queries, the wish to cancel, its completion, the copying of its outputs.
// Each counts what was done on what the attempt shows, once: the counter is part of the comparison.
import type { Pool } from "pg";
import type { Noted, Written } from "../reconcile/ports.ts";
import type { AttemptIn } from "../task/attempt.ts";
import type { MicroCredits } from "../task/brand.ts";
import type { Poll, Refetch } from "../task/mark.ts";
import type { Fence } from "./fence.ts";
import { mark, note } from "./mark.ts";
import type { Prepared } from "./transaction.ts";

const POLL = `
update genop.attempts
   set polls = polls + 1, next_poll_at = clock_timestamp() + $3 * interval '1 millisecond',
       progress = coalesce($4, progress),
       empty_since = case $5 when 'kept' then empty_since when 'empty' then coalesce(empty_since, clock_timestamp()) end,
       missing_since = case $5 when 'kept' then missing_since when 'missing' then coalesce(missing_since, clock_timestamp()) end,
       missing_polls = case $5 when 'kept' then missing_polls when 'missing' then missing_polls + 1 else 0 end
 where id = $1 and state = 'accepted' and polls = $2
returning id`;

/** See `Books.notePoll`. A doubt keeps the moment of its beginning, and an answer without one ends it. */
export async function notePoll(pool: Pool, fence: Fence, attempt: AttemptIn<"accepted">, poll: Poll): Promise<Noted> {
  const progress = poll.progress ?? null;
  const values = [attempt.id, attempt.polls, poll.nextAfterMs, progress, poll.doubt];
  return note(pool, fence, { statement: POLL, values });
}

const CANCEL_ASKED = `
update genop.attempts set cancel_asked_at = coalesce(cancel_asked_at, clock_timestamp())
 where id = $1 and state = 'accepted'
returning id`;

/** See `Books.noteCancelAsked`. The first time stands. */
export async function noteCancelAsked(pool: Pool, fence: Fence, attempt: AttemptIn<"accepted">): Promise<Written> {
  return mark(pool, fence, { attemptId: attempt.id }, { statement: CANCEL_ASKED, values: [attempt.id] });
}

const READY: Prepared = {
  name: "mark_ready",
  text: `
update genop.attempts
   set state = 'ready', ready_at = clock_timestamp(), next_fetch_at = clock_timestamp(), cost = $2
 where id = $1 and state = 'accepted'
returning id`,
};

/** See `Books.markReady`. */
export async function markReady(
  pool: Pool,
  fence: Fence,
  attempt: AttemptIn<"accepted">,
  cost: MicroCredits | undefined,
): Promise<Written> {
  return mark(pool, fence, { attemptId: attempt.id }, { statement: READY, values: [attempt.id, cost ?? null] });
}

const FETCH = `
update genop.attempts
   set fetches = fetches + 1, next_fetch_at = clock_timestamp() + $3 * interval '1 millisecond',
       expired_since = case $4 when 'kept' then expired_since when 'expired' then coalesce(expired_since, clock_timestamp()) end
 where id = $1 and state = 'ready' and fetches = $2
returning id`;

/** See `Books.noteFetch`. */
export async function noteFetch(
  pool: Pool,
  fence: Fence,
  attempt: AttemptIn<"ready">,
  { expiry, nextAfterMs }: Refetch,
): Promise<Noted> {
  return note(pool, fence, { statement: FETCH, values: [attempt.id, attempt.fetches, nextAfterMs, expiry] });
}
