// A leader's reading of providers' usage exports, a span of time after the other. Whoever leads next goes on where it stopped; what is read
// twice is taken once. What the lines are, the booking of the bill says (janitor.ts).
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { BillContradicted } from "../postgres/usage-import.ts";
import type { UsageBooks, UsageStanding } from "../postgres/usage-reads.ts";
import type { UsageSource } from "../providers/provider.ts";
import { sleep, systemClock } from "../runtime/clock.ts";
import { numbered } from "../task/bill.ts";
import type { BilledLine } from "../task/bill.ts";

export interface UsageDeps {
  readonly books: UsageBooks;
  /** Of all providers. */
  readonly names: () => readonly string[];
  /** Undefined where nothing says how its bill is read. */
  readonly source: (provider: string) => UsageSource | undefined;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "count">;
}

const EVERY_MS = 15_000;
const AT_ONCE = 4;
const SPAN_MS = 86_400_000;
const SHORTEST_SPAN_MS = 60_000;
const BATCH = 1000;
const FIRST_RETRY_MS = 60_000;

/** Works until stopped. A round that fails is told and repeated with the next: nothing here is urgent. */
export async function runUsageReads(deps: UsageDeps, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await usageRound(deps, stop).catch((error: unknown) => {
      if (!stop.aborted) deps.log("warn", "usage.failed", { error });
    });
    await sleep(systemClock, EVERY_MS, stop).catch(() => undefined);
  }
}

/** One round: the bills that are due, a few providers at once. */
export async function usageRound(deps: UsageDeps, signal: AbortSignal): Promise<void> {
  const left = [...deps.names()];
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined && !signal.aborted; name = left.shift()) {
      await visit(deps, name, signal);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** One that fails keeps none of the others. */
async function visit(deps: UsageDeps, provider: string, signal: AbortSignal): Promise<void> {
  const source = deps.source(provider);
  if (!source) return;
  try {
    const standing = await deps.books.standing(provider, signal);
    if (!standing?.isDue) return;
    const bill = { provider, source, standing };
    const ending = await readBill(deps, bill, signal);
    if (!signal.aborted) await tell(deps, bill, ending);
  } catch (error) {
    if (!signal.aborted) deps.log("warn", "usage.failed", { provider, error });
  }
}

interface Bill {
  readonly provider: string;
  readonly source: UsageSource;
  readonly standing: UsageStanding;
}

type BillEnding =
  | { readonly outcome: "read"; readonly lines: number; readonly taken: number }
  | { readonly outcome: "unread"; readonly code: string; readonly retryAfterMs: number | undefined }
  | { readonly outcome: "stale" };

/** From as far back as the provider may still add lines, up to now. */
async function readBill(deps: UsageDeps, bill: Bill, signal: AbortSignal): Promise<BillEnding> {
  const { provider, source, standing } = bill;
  const end = standing.now.getTime();
  let from = Math.min(end, standing.through.getTime() - source.overlapSeconds * 1000);
  let span = SPAN_MS;
  let [lines, taken] = [0, 0];
  while (from < end) {
    const to = Math.min(end, from + span);
    const answer = await source.read({ from: new Date(from), to: new Date(to) }, signal);
    if (answer.outcome === "unanswered") return { ...answer, outcome: "unread" };
    if (answer.outcome === "overlong") {
      if (to - from <= SHORTEST_SPAN_MS) return { outcome: "unread", code: "usage-too-long", retryAfterMs: undefined };
      span = Math.max(SHORTEST_SPAN_MS, (to - from) / 2);
      continue;
    }
    const kept = await keep(deps, provider, answer.lines);
    if (kept.outcome !== "taken") return kept;
    const noted = await deps.books.noteRead(provider, { through: new Date(to), nextAfterMs: undefined });
    if (noted.outcome === "stale") return noted;
    lines += answer.lines.length;
    taken += kept.taken;
    from = to;
  }
  return { outcome: "read", lines, taken };
}

type Kept = { readonly outcome: "taken"; readonly taken: number } | Exclude<BillEnding, { readonly outcome: "read" }>;

/** All lines of a span, in bounded transactions: those of an interrupted one are known when it is read again. */
async function keep({ books, log }: UsageDeps, provider: string, billed: readonly BilledLine[]): Promise<Kept> {
  const lines = numbered(billed);
  let taken = 0;
  try {
    for (let at = 0; at < lines.length; at += BATCH) {
      const batch = await books.take(provider, lines.slice(at, at + BATCH));
      if (batch.outcome === "stale") return batch;
      taken += batch.taken;
    }
    return { outcome: "taken", taken };
  } catch (error) {
    if (!(error instanceof BillContradicted)) throw error;
    log("warn", "usage.contradicted", { provider, jobId: error.jobId });
    return { outcome: "unread", code: "bill-contradicted", retryAfterMs: undefined };
  }
}

/** Writes down when to look again. */
async function tell(
  { books, log, metrics }: UsageDeps,
  { provider, source, standing }: Bill,
  ending: BillEnding,
): Promise<void> {
  if (ending.outcome === "stale") return;
  const everyMs = source.everySeconds * 1000;
  metrics.count("usageReads", { provider, outcome: ending.outcome });
  if (ending.outcome === "read") {
    await books.noteRead(provider, { through: standing.now, nextAfterMs: everyMs });
    const { lines, taken } = ending;
    log(taken > 0 ? "info" : "debug", "usage.read", { provider, lines, taken });
    return;
  }
  const { code, retryAfterMs = 0 } = ending;
  const waitMs = Math.min(everyMs, FIRST_RETRY_MS * 2 ** Math.min(standing.failures, 16));
  await books.noteUnread(provider, { code, nextAfterMs: Math.max(waitMs, retryAfterMs) });
  log("warn", "usage.unread", { provider, code });
}
