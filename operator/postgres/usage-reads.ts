// How far the leader has read each provider's usage export. Every time is the database's.
import type { Pool } from "pg";
import type { Noted, Stale } from "../reconcile/ports.ts";
import type { UsageLine } from "../task/bill.ts";
import { inTransaction } from "./fence.ts";
import type { Fence } from "./fence.ts";
import { readRows } from "./transaction.ts";
import { takeUsage } from "./usage-import.ts";

export interface UsageStanding {
  /** The bill is in the database up to this moment. */
  readonly through: Date;
  readonly now: Date;
  readonly isDue: boolean;
  /** In a row. */
  readonly failures: number;
  /** Of the last read, when it failed. */
  readonly code: string | undefined;
  readonly wasRead: boolean;
}

export interface UsageAge {
  readonly provider: string;
  /** Since it was read up to the present, or since it was first to be. */
  readonly seconds: number;
}

export interface UsageProgress {
  readonly through: Date;
  /** Undefined while there is more up to the present. */
  readonly nextAfterMs: number | undefined;
}

export interface UsageBooks {
  /** Undefined: the term is over. The export of a provider that was never read is to be read from its first submit on. */
  standing(provider: string, signal: AbortSignal): Promise<UsageStanding | undefined>;
  /** How many lines are new. Throws BillContradicted, and has then taken none of them. */
  take(
    provider: string,
    lines: readonly UsageLine[],
  ): Promise<{ readonly outcome: "taken"; readonly taken: number } | Stale>;
  noteRead(provider: string, progress: UsageProgress): Promise<Noted>;
  noteUnread(provider: string, failure: { readonly code: string; readonly nextAfterMs: number }): Promise<Noted>;
}

/** `fence` tells the term that this process leads in. */
export function makeUsageBooks(pool: Pool, fence: Fence): UsageBooks {
  const write = async (statement: string, values: readonly unknown[]): Promise<Noted> =>
    inTransaction(pool, fence, async (transaction) => {
      await transaction.rows(statement, values);
      return { outcome: "done" as const };
    });
  return {
    standing: async (provider, signal) => {
      const known = await usageStanding(pool, provider, signal);
      if (known) return known;
      const entered = await write(ENTER, [provider]);
      return entered.outcome === "done" ? usageStanding(pool, provider, signal) : undefined;
    },
    take: (provider, lines) =>
      inTransaction(pool, fence, async (transaction) => ({
        outcome: "taken" as const,
        taken: await takeUsage(transaction, provider, lines),
      })),
    noteRead: (provider, { nextAfterMs, through }) => write(READ, [provider, through, nextAfterMs ?? null]),
    noteUnread: (provider, { code, nextAfterMs }) => write(UNREAD, [provider, code, nextAfterMs]),
  };
}

/** Further back no bill is asked for. */
const MAX_BACK = "interval '90 days'";

const ENTER = `
insert into genop.usage_reads (provider, through)
select $1, greatest(coalesce(min(sent_at), clock_timestamp()), clock_timestamp() - ${MAX_BACK})
  from genop.attempts where provider = $1
on conflict do nothing`;

const STANDING = `
select through, clock_timestamp() as now, next_at <= clock_timestamp() as "isDue", failures, code, read_at is not null as "wasRead"
  from genop.usage_reads where provider = $1`;

/** Undefined: its export was never to be read. */
export async function usageStanding(
  pool: Pool,
  provider: string,
  signal: AbortSignal,
): Promise<UsageStanding | undefined> {
  type Row = Omit<UsageStanding, "code"> & { readonly code: string | null };
  const [row] = await readRows<Row>(pool, STANDING, [provider], signal);
  return row && { ...row, code: row.code ?? undefined };
}

const AGES = `
select provider, extract(epoch from clock_timestamp() - coalesce(read_at, since))::float8 as seconds
  from genop.usage_reads where provider = any($1) order by provider`;

/** Of those of these providers whose export is to be read. */
export async function usageAges(
  pool: Pool,
  providers: readonly string[],
  signal: AbortSignal,
): Promise<readonly UsageAge[]> {
  return readRows<UsageAge>(pool, AGES, [providers], signal);
}

const READ = `
update genop.usage_reads
   set through = greatest(through, $2),
       read_at = case when $3::float8 is null then read_at else clock_timestamp() end,
       next_at = coalesce(clock_timestamp() + $3 * interval '1 millisecond', next_at),
       failures = case when $3 is null then failures else 0 end, code = case when $3 is null then code end
 where provider = $1`;

const UNREAD = `
update genop.usage_reads
   set failures = failures + 1, code = $2, next_at = clock_timestamp() + $3 * interval '1 millisecond'
 where provider = $1`;
