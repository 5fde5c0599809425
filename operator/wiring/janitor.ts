// What a leader does now and then. Of the whole installation, the leader of shard 0 alone: seals the ledger and checks the books,
// sweeps object storage, prunes the call log.
import type { Pool } from "pg";
import type { ArtifactStore } from "../artifacts/artifacts.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { pruneCalls } from "../postgres/calls.ts";
import type { Fence } from "../postgres/fence.ts";
import { pruneInbox } from "../postgres/inbox.ts";
import type { Reports } from "../postgres/reports.ts";
import { sealLedger } from "../postgres/seal.ts";
import { bookUsage } from "../postgres/usage.ts";
import { sleep, systemClock } from "../runtime/clock.ts";
import { credits } from "./meters.ts";
import { sweepOutputs } from "./output-sweeps.ts";

export interface Chore {
  readonly what: string;
  /** One round is a minute. */
  readonly everyRounds: number;
  readonly work: (signal: AbortSignal) => Promise<unknown>;
}

export interface HouseDeps {
  readonly pool: Pool;
  readonly fence: Fence;
  readonly artifacts: ArtifactStore;
  readonly reports: Reports;
  readonly metrics: Metrics;
  readonly log: Log;
}

const EVERY_MS = 60_000;
const PRUNE_EVERY = 30;
const USAGE_EVERY = 10;
const MAX_BOOKED = 10_000;
const DAY_MS = 24 * 3_600_000;
const INBOX_PRUNING = { olderThanMs: 7 * DAY_MS, atMost: 5000 };
const CALLS_PRUNING = { olderThanMs: 30 * DAY_MS, atMost: 5000 };

/** What is done once for the whole installation, not for each shard. It changes no task. */
export function houseChores(deps: HouseDeps): readonly Chore[] {
  const { fence, pool } = deps;
  return [
    { what: "chain", everyRounds: 1, work: (signal) => seal(deps, signal) },
    { what: "books", everyRounds: 1, work: (signal) => checkBooks(deps, signal) },
    { what: "outputs", everyRounds: 1, work: (signal) => sweepOutputs(deps, signal) },
    { what: "staging", everyRounds: 1, work: (signal) => sweep(deps, signal) },
    { what: "inbox", everyRounds: PRUNE_EVERY, work: (signal) => pruneInbox(pool, fence, INBOX_PRUNING, signal) },
    { what: "usage", everyRounds: USAGE_EVERY, work: (signal) => book(deps, signal) },
    { what: "calls", everyRounds: PRUNE_EVERY, work: (signal) => pruneCalls(pool, fence, CALLS_PRUNING, signal) },
  ];
}

/** Works until stopped. A round that fails is told and repeated with the next: nothing here is urgent. */
export async function runJanitor(chores: readonly Chore[], log: Log, signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round += 1) {
    for (const chore of chores) {
      if (round % chore.everyRounds === 0) await tryTo(chore, log, signal);
    }
    await sleep(systemClock, EVERY_MS, signal).catch(() => undefined);
  }
}

/** Told with its hash: the log is where the head of the chain is kept out of the database's reach. */
async function seal({ fence, log, pool }: HouseDeps, signal: AbortSignal): Promise<void> {
  const sealed = await sealLedger(pool, fence, signal);
  if (sealed.outcome === "stale" || !sealed.head) return;
  const { hash, number } = sealed.head;
  log("info", "ledger.sealed", { block: number.toString(), hash, transactions: sealed.transactions });
}

/** What a bill says otherwise than the books is told, line by line: somebody has to ask the provider why. */
async function book({ fence, log, metrics, pool }: HouseDeps, signal: AbortSignal): Promise<void> {
  for (let booked = 0; booked < MAX_BOOKED; booked += 1) {
    const line = await bookUsage(pool, fence, signal);
    if (!line) return;
    const { difference, jobId, provider, verdict } = line;
    metrics.count("usageLines", { provider, verdict });
    if (difference > 0n) metrics.count("credits", { kind: "lost" }, credits(difference));
    if (verdict !== "matched") {
      log("warn", "usage.differs", { provider, jobId, verdict, difference: difference.toString() });
    }
  }
}

async function checkBooks({ log, metrics, reports }: HouseDeps, signal: AbortSignal): Promise<void> {
  const rows = await reports.run(signal);
  metrics.setAll(
    "ledgerReports",
    rows.map(({ report, rows: value }) => ({ labels: { report }, value })),
  );
  for (const { report, rows: count } of rows) {
    if (count > 0) log("error", "ledger.report-not-empty", { report, rows: count });
  }
}

/** Told each time: that a sweep was made is what says that nothing is left. */
async function sweep({ artifacts, log }: HouseDeps, signal: AbortSignal): Promise<void> {
  const { isMore, objects, uploads } = await artifacts.sweep(signal);
  log(objects + uploads > 0 ? "info" : "debug", "staging.swept", { objects, uploads, isMore });
}

async function tryTo({ what, work }: Chore, log: Log, signal: AbortSignal): Promise<void> {
  try {
    await work(signal);
  } catch (error) {
    if (!signal.aborted) log("warn", "janitor.failed", { what, error });
  }
}
