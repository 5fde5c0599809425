// The provider's bill against the attempts. Importing writes lines down and moves nothing; booking judges each line once, and moves what
// was not booked between the platform's own accounts. A tenant never pays for what turns up on a bill.
import type { Pool } from "pg";
import type { AttemptId } from "../task/brand.ts";
import { inTransaction } from "./fence.ts";
import type { Fence, FencedTransaction } from "./fence.ts";
import { post } from "./ledger.ts";
import { inPlainTransaction } from "./transaction.ts";

export interface UsageLine {
  readonly jobId: string;
  readonly part: number;
  readonly ref: string | undefined;
  /** Micro-credits. */
  readonly amount: bigint;
  readonly billedAt: Date;
}

export type UsageVerdict = "matched" | "price" | "late" | "duplicate" | "stranger";

const IMPORT = `
insert into genop.usage_lines (provider, job_id, part, ref, amount, billed_at)
select $1, line.* from unnest($2::text[], $3::integer[], $4::text[], $5::bigint[], $6::timestamptz[])
       as line (job_id, part, ref, amount, billed_at)
on conflict do nothing
returning job_id`;

/** How many lines are new. A line that is known stays as it is. */
export async function importUsage(pool: Pool, provider: string, lines: readonly UsageLine[]): Promise<number> {
  return inPlainTransaction(pool, async (transaction) => {
    const rows = await transaction.rows(IMPORT, [
      provider,
      lines.map(({ jobId }) => jobId),
      lines.map(({ part }) => part),
      lines.map(({ ref }) => ref ?? null),
      lines.map(({ amount }) => amount.toString()),
      lines.map(({ billedAt }) => billedAt),
    ]);
    return rows.length;
  });
}

interface OpenLine {
  readonly provider: string;
  readonly job_id: string;
  readonly part: number;
  readonly amount: bigint;
  readonly attempt_id: AttemptId | null;
  readonly namespace: string | null;
  readonly is_its_job: boolean;
  readonly charge: bigint | null;
  readonly is_first: boolean;
}

// A line waits while its attempt is open, and one without an attempt while a lost submit may still turn out to be its.
const OPEN = `
select line.provider, line.job_id, line.part, line.amount, attempt.id as attempt_id, attempt.namespace,
       coalesce(attempt.job_id = line.job_id, false) as is_its_job, attempt.charge,
       not exists (select from genop.usage_lines other
                    where other.attempt_id = attempt.id and other.judged_at is not null) as is_first
  from genop.usage_lines line
  left join lateral (
    select * from genop.attempts one
     where one.provider = line.provider and (one.job_id = line.job_id or one.id::text = line.ref)
     order by (one.job_id = line.job_id) desc nulls last limit 1) attempt on true
 where line.judged_at is null
   and case when attempt.id is not null then attempt.state = 'ended'
            else line.billed_at < now() - interval '7 days'
                 or not exists (select from genop.attempts lost
                                 where lost.provider = line.provider and lost.state = 'sent') end
 order by line.billed_at, line.job_id, line.part
 limit 1 for update of line skip locked`;

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
  const before = line.is_its_job && line.is_first ? (line.charge ?? 0n) : 0n;
  const difference = line.amount - before;
  const verdict = verdictOf(line, difference);
  const transactionId = difference === 0n ? undefined : await correct(transaction, line, { difference, verdict });
  await transaction.rows(
    `update genop.usage_lines
        set judged_at = clock_timestamp(), verdict = $4, attempt_id = $5, booked = $6, difference = $7, transaction_id = $8
      where provider = $1 and job_id = $2 and part = $3`,
    [line.provider, line.job_id, line.part, verdict, line.attempt_id, before, difference, transactionId ?? null],
  );
  return { outcome: "booked", line: { provider: line.provider, jobId: line.job_id, verdict, difference } };
}

/** Of an attempt that was given up, a job on the bill is a late one; of any other, it is one too many. */
export function verdictOf(
  {
    attempt_id: attemptId,
    is_first: isFirst,
    is_its_job: isItsJob,
    charge,
  }: Omit<OpenLine, "provider" | "job_id" | "part" | "amount" | "namespace">,
  difference: bigint,
): UsageVerdict {
  if (attemptId === null) return "stranger";
  if (!isItsJob) return isFirst && charge === 0n ? "late" : "duplicate";
  if (!isFirst) return "duplicate";
  return difference === 0n ? "matched" : "price";
}

/** No namespace has such a name: what is nobody's is the platform's. */
const PLATFORM = "~platform";

async function correct(
  transaction: FencedTransaction,
  line: OpenLine,
  { difference, verdict }: { readonly difference: bigint; readonly verdict: UsageVerdict },
): Promise<bigint> {
  const { transactionId } = await post(transaction, {
    namespace: line.namespace ?? PLATFORM,
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
