// The provider's bill against the attempts: judges each line once, and moves what was not booked between the platform's own accounts. A
// tenant never pays for what turns up on a bill.
import type { Pool } from "pg";
import type { AttemptId } from "../task/brand.ts";
import { inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { post } from "./ledger.ts";

export type UsageVerdict = "matched" | "price" | "late" | "duplicate" | "stranger";

interface OpenLine {
  readonly provider: string;
  readonly job_id: string;
  readonly part: number;
  readonly amount: bigint;
}

interface Findings {
  readonly attempt_id: AttemptId | null;
  readonly namespace: string | null;
  readonly is_open: boolean;
  readonly is_its_job: boolean;
  readonly charge: bigint | null;
  /** What was booked for the job before, whoever did. */
  readonly booked: bigint;
  /** Of its attempt's lines. */
  readonly is_first: boolean;
  /** Of its job's lines. */
  readonly is_jobs_first: boolean;
}

/** The attempt that a line is for: by its job, by the job that turned up for it late, or by its own id where the bill shows that. */
const ITS_ATTEMPT = `
  left join genop.late_searches late on late.provider = line.provider and late.job_id = line.job_id
  left join lateral (
    select * from genop.attempts one
     where one.provider = line.provider
       and (one.job_id = line.job_id or one.id = late.attempt_id or one.id::text = line.ref)
     order by (one.job_id = line.job_id) desc nulls last, (one.id = late.attempt_id) desc nulls last limit 1) attempt on true`;

// A line waits while its attempt is open, and one without an attempt while a lost submit may still turn out to be its.
const OPEN = `
select line.provider, line.job_id, line.part, line.amount
  from genop.usage_lines line ${ITS_ATTEMPT}
 where line.judged_at is null
   and case when attempt.id is not null then attempt.state = 'ended'
            else line.billed_at < now() - interval '7 days'
                 or not exists (select from genop.attempts lost
                                 where lost.provider = line.provider and lost.state = 'sent') end
 order by line.billed_at, line.job_id, line.part
 limit 1 for update of line skip locked`;

const FINDINGS = `
select attempt.id as attempt_id, attempt.namespace, coalesce(attempt.state <> 'ended', false) as is_open,
       coalesce(attempt.job_id = line.job_id, false) as is_its_job, attempt.charge,
       coalesce(case when attempt.job_id = line.job_id then attempt.charge else late.charge end, 0) as booked,
       not exists (select from genop.usage_lines other
                    where other.attempt_id = attempt.id and other.judged_at is not null) as is_first,
       not exists (select from genop.usage_lines other
                    where other.provider = line.provider and other.job_id = line.job_id
                      and other.judged_at is not null) as is_jobs_first
  from genop.usage_lines line ${ITS_ATTEMPT}
 where line.provider = $1 and line.job_id = $2 and line.part = $3`;

export interface BookedLine {
  readonly provider: string;
  readonly jobId: string;
  readonly verdict: UsageVerdict;
  /** What the provider is owed more than was booked before; below zero: less. */
  readonly difference: bigint;
}

/** Judges and books the oldest line that can be. Undefined: there is none, or the term is over. */
export async function bookUsage(pool: Pool, fence: Fence, signal: AbortSignal): Promise<BookedLine | undefined> {
  const booked = await inTransaction(pool, fence, (transaction) => bookOne(transaction), signal);
  return booked.outcome === "booked" ? booked.line : undefined;
}

type Booking = { readonly outcome: "booked"; readonly line: BookedLine } | { readonly outcome: "none" };

async function bookOne(transaction: FencedTransaction): Promise<Booking> {
  const [line] = await transaction.rows<OpenLine>(OPEN, []);
  if (!line) return { outcome: "none" };
  const found = await findingsOf(transaction, line);
  // Its job was accepted in this very moment: the next round sees it.
  if (found.is_open) return { outcome: "none" };
  const before = found.is_jobs_first ? found.booked : 0n;
  const difference = line.amount - before;
  const verdict = verdictOf(found, difference);
  const correction = { difference, verdict, namespace: found.namespace ?? PLATFORM };
  const transactionId = difference === 0n ? undefined : await correct(transaction, line, correction);
  await transaction.rows(
    `update genop.usage_lines
        set judged_at = clock_timestamp(), verdict = $4, attempt_id = $5, booked = $6, difference = $7, transaction_id = $8
      where provider = $1 and job_id = $2 and part = $3`,
    [line.provider, line.job_id, line.part, verdict, found.attempt_id, before, difference, transactionId ?? null],
  );
  return { outcome: "booked", line: { provider: line.provider, jobId: line.job_id, verdict, difference } };
}

/** Under the lock of the job, so that nobody else books for it meanwhile; read after that lock, so that what they booked is seen. */
async function findingsOf(transaction: FencedTransaction, line: OpenLine): Promise<Findings> {
  await transaction.rows("select genop.lock_job($1, $2)", [line.provider, line.job_id]);
  const [found] = await transaction.rows<Findings>(FINDINGS, [line.provider, line.job_id, line.part]);
  if (!found) throw new Error("cannot judge a line of usage: it is not there");
  return found;
}

/** Of an attempt that was given up, a job on the bill is a late one; of any other, it is one too many. */
function verdictOf(found: Findings, difference: bigint): UsageVerdict {
  if (found.attempt_id === null) return "stranger";
  if (!found.is_its_job) return found.is_first && found.charge === 0n ? "late" : "duplicate";
  if (!found.is_jobs_first) return "duplicate";
  return difference === 0n ? "matched" : "price";
}

/** No namespace has such a name: what is nobody's is the platform's. */
const PLATFORM = "~platform";

interface Correction {
  readonly difference: bigint;
  readonly verdict: UsageVerdict;
  readonly namespace: string;
}

async function correct(
  transaction: FencedTransaction,
  line: OpenLine,
  { difference, namespace, verdict }: Correction,
): Promise<bigint> {
  const { transactionId } = await post(transaction, {
    namespace,
    operation: "usage",
    businessId: `${line.provider}/${line.job_id}/${line.part}`,
    inputs: { difference: difference.toString(), verdict },
    moves: [
      { account: "loss", amount: -difference },
      { account: "provider-payable", amount: difference },
    ],
  });
  return transactionId;
}
