// The end of an attempt, and of a task: attempt, money, assets and task move in one transaction, once.
import type { Pool } from "pg";
import type { Registration, Written } from "../reconcile/ports.ts";
import type { Ending, LiveAttempt } from "../task/action.ts";
import type { AttemptId, MicroCredits } from "../task/brand.ts";
import type { Decision } from "../task/decision.ts";
import type { TaskEnd } from "../task/facts.ts";
import type { AssetStatus } from "../task/resource.ts";
import { noteDecision } from "./decisions.ts";
import { StaleMark, inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { post, resolveHold } from "./ledger.ts";
import { done } from "./mark.ts";
import type { Done } from "./mark.ts";
import { registered } from "./registration.ts";
import type { Prepared } from "./transaction.ts";

/** See `Books.end`. The same end a second time is "done", any other is "stale". */
export async function end(
  pool: Pool,
  fence: Fence,
  attempt: LiveAttempt,
  { assets, ending }: { readonly ending: Ending; readonly assets: readonly AssetStatus[] },
): Promise<Written> {
  return inTransaction(pool, fence, async (transaction) => {
    const ended = await endAttempt(transaction, attempt, ending);
    if (!ended) return replayed(transaction, attempt, ending);
    await resolveHold(
      transaction,
      { attemptId: attempt.id, namespace: ended.namespace, amount: attempt.held },
      ending.charge,
    );
    if (ended.was_billed) await takeBack(transaction, ended, ending.charge);
    await insertAssets(transaction, attempt.id, assets);
    await setTask(transaction, ended.task_key, ending.task);
    await noteDecision(transaction, ended.task_key, ending.decision);
    return done(transaction, { attemptId: attempt.id });
  });
}

interface Ended {
  readonly task_key: string;
  readonly namespace: string;
  readonly provider: string;
  readonly job_id: string;
  /** The bill was booked for its job, for nobody or for another attempt, before anybody knew whose it was. */
  readonly was_billed: boolean;
}

// The task's row is locked first, as everywhere.
const END: Prepared = {
  name: "end_attempt",
  text: `
with task as materialized (
  select key from genop.tasks where key = (select task_key from genop.attempts where id = $1) for update
), submit as (
  update genop.calls set finished_at = clock_timestamp(), outcome = 'ended', code = $3
   where attempt_id = $1 and operation = 'submit' and finished_at is null and (select key from task) is not null
)
update genop.attempts
   set state = 'ended', ended_at = clock_timestamp(), reason = $3, charge = $4, blocked_by = null,
       retry_at = clock_timestamp() + $5 * interval '1 millisecond'
 where id = $1 and state = $2 and task_key = (select key from task)
returning task_key, namespace, provider, job_id,
          exists (select from genop.usage_lines line
                   where line.provider = attempts.provider and line.job_id = attempts.job_id
                     and line.judged_at is not null) as was_billed`,
};

async function endAttempt(
  transaction: FencedTransaction,
  attempt: LiveAttempt,
  { charge, reason, retryAfterMs }: Ending,
): Promise<Ended | undefined> {
  const values = [attempt.id, attempt.state, reason, charge, retryAfterMs ?? null];
  const [ended] = await transaction.rows<Ended>(END, values);
  return ended;
}

/**
 * The provider is owed a job once: what the bill has booked for it stays, and what has just been booked besides is taken back. No
 * line of it is judged meanwhile: who books one finds the attempt, from the moment in which it has the job, and waits for its end.
 */
async function takeBack(transaction: FencedTransaction, ended: Ended, charge: MicroCredits): Promise<void> {
  if (charge === 0n) return;
  const { job_id: jobId, namespace, provider } = ended;
  await post(transaction, {
    namespace,
    operation: "usage",
    businessId: `${provider}/${jobId}/its-attempt`,
    inputs: { difference: (0n - charge).toString(), verdict: "stranger" },
    moves: [
      { account: "loss", amount: charge },
      { account: "provider-payable", amount: 0n - charge },
    ],
  });
}

/** The answer to an earlier call may have been lost: the same end is then not a surprise. */
async function replayed(transaction: FencedTransaction, attempt: LiveAttempt, ending: Ending): Promise<Done> {
  const same = await transaction.count(
    `select from genop.attempts attempt join genop.tasks task on task.key = attempt.task_key
      where attempt.id = $1 and attempt.reason = $2 and attempt.charge = $3
        and ($4::text is null or ($4, $5::text) = (task.ended_phase, task.ended_reason))`,
    [attempt.id, ending.reason, ending.charge, ending.task?.phase ?? null, ending.task?.reason ?? null],
  );
  if (same === 0) throw new StaleMark();
  return done(transaction, { attemptId: attempt.id });
}

/** Lists what an attempt has published. */
export async function insertAssets(
  transaction: FencedTransaction,
  attemptId: AttemptId,
  assets: readonly AssetStatus[],
): Promise<void> {
  if (assets.length === 0) return;
  await transaction.rows(
    `insert into genop.assets (attempt_id, position, name, uri, media_type, bytes, sha256, width, height, duration_ms)
     select $1::uuid, row_number() over () - 1, asset.*
       from json_to_recordset($2) as asset (
              name text, uri text, "mediaType" text, bytes bigint, sha256 text, width integer, height integer,
              "durationMs" bigint)`,
    [attemptId, JSON.stringify(assets)],
  );
}

const END_TASK = `
update genop.tasks
   set ended_at = clock_timestamp(), ended_phase = $2, ended_reason = $3, ended_message = $4,
       parked_at = null, parked_reason = null, parked_message = null, waiting_reason = null, waiting_position = null, waiting_until = null
 where key = $1 and ended_at is null`;

async function setTask(transaction: FencedTransaction, key: string, taskEnd: TaskEnd | undefined): Promise<void> {
  if (!taskEnd) {
    await transaction.rows(
      `update genop.tasks set waiting_reason = null, waiting_position = null, waiting_until = null
        where key = $1 and waiting_reason is not null`,
      [key],
    );
    return;
  }
  const { message, phase, reason } = taskEnd;
  if ((await transaction.count(END_TASK, [key, phase, reason, message])) === 0) throw new StaleMark();
}

/** See `Books.endTask`. */
export async function endTask(
  pool: Pool,
  fence: Fence,
  registration: Registration,
  { decision, taskEnd }: { readonly taskEnd: TaskEnd; readonly decision: Decision | undefined },
): Promise<Written> {
  return inTransaction(pool, fence, async (transaction) => {
    const task = await registered(transaction, registration);
    if (task.live) throw new StaleMark();
    if (task.ended_phase !== null) {
      const isSame = task.ended_phase === taskEnd.phase && task.ended_reason === taskEnd.reason;
      if (!isSame) throw new StaleMark();
      return done(transaction, registration);
    }
    await setTask(transaction, registration.key, taskEnd);
    await noteDecision(transaction, registration.key, decision);
    return done(transaction, registration);
  });
}
