// Marks around the submit call: the one before it, the two that may follow, and the looks for a job whose answer was lost.
import type { Pool } from "pg";
import type { AcceptOutcome, Noted, SentOutcome, Written } from "../reconcile/ports.ts";
import type { AttemptIn } from "../task/attempt.ts";
import type { ProviderJobId, TaskKey } from "../task/brand.ts";
import type { Decision } from "../task/decision.ts";
import type { Look } from "../task/mark.ts";
import type { Admission } from "../task/quota.ts";
import { searchMs } from "../task/schedule.ts";
import { LINE_PATIENCE_MS, admit, isUnlimited } from "./admission.ts";
import type { Verdict } from "./admission.ts";
import { noteDecision } from "./decisions.ts";
import { isTaken } from "./faults.ts";
import { inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { lockLine, lockTask, readLine } from "./line.ts";
import { factsIn } from "./load.ts";
import { done, mark, moved } from "./mark.ts";
import type { Done } from "./mark.ts";
import type { Prepared } from "./transaction.ts";

/** The caller's own delay is spread already, and is a floor. */
const UNSPREAD = 0.5;

export interface Sending {
  readonly attempt: AttemptIn<"intended">;
  readonly admission: Admission;
  readonly deadlineMs: number;
}

/** See `Books.markSent`. */
export async function markSent(pool: Pool, fence: Fence, sending: Sending, signal: AbortSignal): Promise<SentOutcome> {
  const work = async (transaction: FencedTransaction): Promise<SentOutcome> => {
    const { admission, attempt } = sending;
    await lockTask(transaction, attempt);
    if (isUnlimited(admission)) return send(transaction, sending);
    // Most that ask are refused: they are, without waiting for the lock. Being admitted is decided again under it.
    const glance = await look(transaction, attempt, admission);
    if (glance.verdict === "blocked") return queue(transaction, attempt, glance);
    await lockLine(transaction, attempt.provider);
    const seen = await look(transaction, attempt, admission);
    return seen.verdict === "blocked" ? queue(transaction, attempt, seen) : send(transaction, sending);
  };
  return inTransaction(pool, fence, work, signal);
}

type Seen = Verdict & { readonly position: number };

async function look(
  transaction: FencedTransaction,
  attempt: AttemptIn<"intended">,
  admission: Admission,
): Promise<Seen> {
  const line = await readLine(transaction, attempt);
  return { ...admit(admission, line), position: line.waitingAhead + 1 };
}

// One reading of the clock is the moment of this submit. The next due moment follows from the last one, not from now: the
// rate is exact however long a statement takes.
const SEND: Prepared = {
  name: "mark_sent",
  text: `
with moment as materialized (
  select clock_timestamp() as at
), attempt as (
  update genop.attempts
     set state = 'sent', sent_at = moment.at, deadline = moment.at + $2 * interval '1 millisecond', blocked_by = null
    from moment
   where id = $1 and state = 'intended'
  returning id, task_key, provider, sent_at, deadline
), rate as (
  update genop.rates set due_at = greatest(due_at, moment.at) + $4::float8 * interval '1 millisecond'
    from moment
   where provider = (select provider from attempt) and $4::float8 is not null
), task as (
  update genop.tasks set waiting_reason = null, waiting_position = null, waiting_until = null
   where key = (select task_key from attempt) and waiting_reason is not null
), call as (
  insert into genop.calls (attempt_id, operation, epoch) select id, 'submit', $3 from attempt
)
select sent_at, deadline from attempt`,
};

async function send(transaction: FencedTransaction, { admission, attempt, deadlineMs }: Sending): Promise<SentOutcome> {
  const values = [attempt.id, deadlineMs, transaction.epoch, admission.rate?.intervalMs ?? null];
  const row = await moved<{ sent_at: Date; deadline: Date }>(transaction, SEND, values);
  return {
    outcome: "sent",
    attempt: {
      ...attempt,
      state: "sent",
      sentAt: row.sent_at,
      deadline: row.deadline,
      ambiguity: undefined,
      search: { misses: 0, looks: 0, nextAt: undefined },
    },
  };
}

// Asking again soon after is not written down: a long line that waits costs no writes.
const ASK = `
update genop.attempts set wanted_at = clock_timestamp(), blocked_by = $2
 where id = $1 and (blocked_by is distinct from $2 or wanted_at < clock_timestamp() - $3 * interval '1 millisecond')`;

async function queue(
  transaction: FencedTransaction,
  attempt: AttemptIn<"intended">,
  { afterMs, by, position }: Extract<Seen, { readonly verdict: "blocked" }>,
): Promise<SentOutcome> {
  await transaction.rows(ASK, [attempt.id, by, LINE_PATIENCE_MS / 3]);
  const changed = await transaction.count(
    `update genop.tasks set waiting_reason = 'QuotaExhausted', waiting_position = $2, waiting_until = null
      where key = (select task_key from genop.attempts where id = $1)
        and ended_at is null and parked_at is null
        and (waiting_reason, waiting_position) is distinct from ('QuotaExhausted', $2)`,
    [attempt.id, position],
  );
  if (changed === 0) return { outcome: "queued", afterMs, changed: false };
  return { outcome: "queued", afterMs, changed: true, facts: await factsIn(transaction, { attemptId: attempt.id }) };
}

const ACCEPT: Prepared = {
  name: "mark_accepted",
  text: `
with before as (
  select ambiguity_at is not null or looks > 0 or clock_timestamp() > deadline as searched
    from genop.attempts where id = $1
), attempt as (
  update genop.attempts
     set state = 'accepted', job_id = $2, accepted_at = clock_timestamp(),
         next_poll_at = clock_timestamp() + $3 * interval '1 millisecond'
   where id = $1 and state = 'sent'
  returning id, task_key
), submit as (
  update genop.calls set finished_at = clock_timestamp(), outcome = 'accepted'
   where attempt_id = (select id from attempt) and operation = 'submit' and finished_at is null
     and not (select searched from before)
), search as (
  insert into genop.calls (attempt_id, operation, finished_at, outcome, epoch)
  select id, 'search', clock_timestamp(), 'found', $4 from attempt where (select searched from before)
)
select task_key from attempt`,
};

/**
 * See `Books.markAccepted`. A job that already stands for another attempt is no clear answer: it is recorded as the
 * ambiguity `job-id-taken`, for a look-up or a person, and answers "taken".
 */
export async function markAccepted(
  pool: Pool,
  fence: Fence,
  attempt: AttemptIn<"sent">,
  job: { readonly id: ProviderJobId; readonly pollAfterMs: number; readonly decision: Decision | undefined },
): Promise<AcceptOutcome> {
  const work = async (transaction: FencedTransaction): Promise<Done> => {
    const values = [attempt.id, job.id, job.pollAfterMs, transaction.epoch];
    const { task_key: key } = await moved<{ task_key: TaskKey }>(transaction, ACCEPT, values);
    await noteDecision(transaction, key, job.decision);
    return done(transaction, { attemptId: attempt.id });
  };
  try {
    return await inTransaction(pool, fence, work);
  } catch (error) {
    if (!isTaken(error, "attempts_job")) throw error;
    await noteTaken(pool, fence, attempt, job.pollAfterMs);
    return { outcome: "taken" };
  }
}

/** Counted as a look, so that a provider which gives the same id each time is asked ever less often. */
async function noteTaken(pool: Pool, fence: Fence, attempt: AttemptIn<"sent">, pollAfterMs: number): Promise<void> {
  const nextAfterMs = searchMs(attempt.search.looks, pollAfterMs, UNSPREAD);
  await markAmbiguous(pool, fence, attempt, { code: "job-id-taken", searchAfterMs: nextAfterMs });
  await noteLook(pool, fence, attempt, { missed: false, nextAfterMs });
}

const UNCLEAR = `
with attempt as (
  update genop.attempts
     set ambiguity_code = coalesce(ambiguity_code, $2), ambiguity_at = coalesce(ambiguity_at, clock_timestamp()),
         search_next_at = clock_timestamp() + $3 * interval '1 millisecond'
   where id = $1 and state = 'sent'
  returning id
), submit as (
  update genop.calls set finished_at = clock_timestamp(), outcome = 'ambiguous', code = $2
   where attempt_id = (select id from attempt) and operation = 'submit' and finished_at is null
)
select id from attempt`;

/** See `Books.markAmbiguous`. The first evidence stands when it is said twice. */
export async function markAmbiguous(
  pool: Pool,
  fence: Fence,
  attempt: AttemptIn<"sent">,
  { code, searchAfterMs }: { readonly code: string; readonly searchAfterMs: number },
): Promise<Written> {
  const values = [attempt.id, code, searchAfterMs];
  return mark(pool, fence, { attemptId: attempt.id }, { statement: UNCLEAR, values });
}

const LOOK = `
with attempt as (
  update genop.attempts
     set looks = looks + 1, misses = misses + $3::integer,
         search_next_at = clock_timestamp() + $4 * interval '1 millisecond',
         taken_at = case when $6 then coalesce(taken_at, clock_timestamp()) else taken_at end
   where id = $1 and state = 'sent' and looks = $2
  returning id
), search as (
  insert into genop.calls (attempt_id, operation, finished_at, outcome, epoch)
  select id, 'search', clock_timestamp(), case when $3::integer = 1 then 'missed' when $6 then 'reused' else 'unanswered' end, $5 from attempt
)
select id from attempt`;

/** See `Books.noteLook`. Counts the look that was made on what `attempt` shows, once. */
export async function noteLook(
  pool: Pool,
  fence: Fence,
  attempt: AttemptIn<"sent">,
  { missed, nextAfterMs, taken = false }: Look,
): Promise<Noted> {
  const work = async (transaction: FencedTransaction): Promise<Noted> => {
    const values = [attempt.id, attempt.search.looks, missed ? 1 : 0, nextAfterMs, transaction.epoch, taken];
    await moved(transaction, LOOK, values);
    return { outcome: "done" };
  };
  return inTransaction(pool, fence, work);
}
