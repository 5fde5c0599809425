// Lines of a provider's bill are written down, by whichever way they come; that moves nothing. A line that is known is not taken again.
import type { Pool } from "pg";
import type { UsageLine } from "../task/bill.ts";
import { inPlainTransaction } from "./transaction.ts";
import type { Transaction } from "./transaction.ts";

const ALREADY_BILLED =
  "a job has a line of the same moment with another amount in the database; ask the provider which of them it means";

/** A line of the same job and moment is in the database with another amount: taking one of them for the other would lose a payment. */
export class BillContradicted extends Error {
  readonly jobId: string;

  constructor(jobId: string) {
    super(`cannot import the bill: ${ALREADY_BILLED} (job ${jobId})`);
    this.name = "BillContradicted";
    this.jobId = jobId;
  }
}

const LINES = "unnest($2::text[], $3::integer[], $4::text[], $5::bigint[], $6::timestamptz[])";

// A line is its job, its moment, and its place among those of the same job and moment. Its part is where it stands in the table.
const IMPORT = `
with line as materialized (
  select * from ${LINES} as line (job_id, nth, ref, amount, billed_at)
), of_jobs as materialized (
  select job_id, part, amount, billed_at, row_number() over (partition by job_id, billed_at order by part) - 1 as nth
    from genop.usage_lines where provider = $1 and job_id in (select job_id from line)
), taken as (
  insert into genop.usage_lines (provider, job_id, part, ref, amount, billed_at)
  select $1, line.job_id,
         coalesce((select max(part) from of_jobs where of_jobs.job_id = line.job_id), -1)
           + row_number() over (partition by line.job_id order by line.billed_at, line.nth),
         line.ref, line.amount, line.billed_at
    from line left join of_jobs known using (job_id, billed_at, nth)
   where known.job_id is null
  returning job_id
)
select (select count(*)::integer from taken) as taken,
       (select min(line.job_id) from line join of_jobs known using (job_id, billed_at, nth) where known.amount <> line.amount) as other`;

/**
 * How many lines are new; a line that is known stays as it is. Throws BillContradicted. To be called within a transaction, which then
 * must be rolled back: nothing of the lines is taken.
 */
export async function takeUsage(
  transaction: Transaction,
  provider: string,
  lines: readonly UsageLine[],
): Promise<number> {
  // Whoever else brings lines of this provider waits: both would give the same place to another one.
  await transaction.rows("select pg_advisory_xact_lock(hashtextextended($1, 1734700651))", [provider]);
  const [found] = await transaction.rows<{ taken: number; other: string | null }>(IMPORT, [
    provider,
    lines.map(({ jobId }) => jobId),
    lines.map(({ nth }) => nth),
    lines.map(({ ref }) => ref ?? null),
    lines.map(({ amount }) => amount.toString()),
    lines.map(({ billedAt }) => billedAt),
  ]);
  if (!found) throw new Error("cannot import the bill: the statement answered without a row");
  if (found.other !== null) throw new BillContradicted(found.other);
  return found.taken;
}

/** As `takeUsage`, in a transaction of its own. */
export async function importUsage(pool: Pool, provider: string, lines: readonly UsageLine[]): Promise<number> {
  return inPlainTransaction(pool, (transaction) => takeUsage(transaction, provider, lines));
}
