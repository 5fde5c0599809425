// What must hold of a job that turned up after its attempt was given up: it is the platform's, booked once as the provider billed it, and
// what is kept of it is listed and whole.
import { wrongAssets } from "../operator/verdict.ts";
import type { SeenTask } from "../operator/watcher.ts";
import type { RecordContents } from "../provider/admin/contents.ts";
import type { LateLife } from "./behaviour.ts";
import { ATTEMPTS } from "./bench.ts";
import type { Place } from "./bench.ts";
import type { Laboratory } from "./laboratory.ts";

interface Row {
  readonly state: string;
  readonly verdict: string | null;
  readonly job_id: string | null;
  readonly bookings: number;
  readonly owed: bigint;
  /** What the tenant paid for the attempt. */
  readonly settled: bigint;
  readonly assets: readonly { readonly name: string; readonly uri: string; readonly sha256: string }[];
}

const SEARCHES = `
select late.state, late.verdict, late.job_id, booked.bookings, booked.owed, kept.assets,
       coalesce((select sum(settled) from genop.hold_resolutions where attempt_id = mine.id), 0)::bigint as settled
  from genop.late_searches late join ${ATTEMPTS} mine on mine.id = late.attempt_id,
  lateral (
    select count(distinct header.id)::integer as bookings, coalesce(sum(entry.amount), 0)::bigint as owed
      from genop.ledger_transactions header
      join genop.entries entry on entry.transaction_id = header.id
      join genop.accounts account on account.id = entry.account_id and account.kind = 'provider-payable'
     where header.operation = 'late' and header.business_id = mine.id::text) booked,
  lateral (
    select coalesce(json_agg(json_build_object('name', name, 'uri', uri, 'sha256', sha256)), '[]') as assets
      from genop.assets where attempt_id = mine.id) kept`;

export async function lateComplaints(
  laboratory: Laboratory,
  { name, namespace }: Place,
  life: LateLife,
  record: RecordContents,
): Promise<readonly string[]> {
  const { rows } = await laboratory.bench.books.query<Row>(SEARCHES, [namespace, name]);
  const [row, ...others] = rows;
  if (!row || others.length > 0) return [`it has ${String(rows.length)} late searches`];
  const [job] = record.jobs;
  if (!job) return row.job_id === null ? [] : ["a job was found that was never made"];
  const isIts = row.state === "over" && row.verdict === life.verdict && row.job_id === job.id;
  return [
    ...(isIts ? [] : [`its late search is ${row.state}: ${String(row.verdict)}`]),
    ...moneyComplaints(row, record),
    ...(row.assets.length === life.kept ? [] : [`${String(row.assets.length)} outputs of its late job are kept`]),
    ...(await wrongAssets(laboratory.environment, laboratory.provider, [keptOf(name, job.id, row)])),
  ];
}

function moneyComplaints({ bookings, owed, settled }: Row, { billed }: RecordContents): readonly string[] {
  const cost = billed.reduce((sum, { amount }) => sum + BigInt(Math.round(Number(amount) * 1_000_000)), 0n);
  const isOnce = bookings === (cost > 0n ? 1 : 0) && owed === cost;
  if (settled > 0n) return [`its tenant paid ${String(settled)} for an attempt that was given up`];
  return isOnce ? [] : [`its late job was booked ${String(bookings)} times, as ${String(owed)} for ${String(cost)}`];
}

function keptOf(name: string, providerJobID: string, { assets }: Row): SeenTask {
  return { metadata: { name }, status: { providerJobID, assets } } as unknown as SeenTask;
}
