// What the leader does now and then: seals the ledger and checks the books, sweeps object storage, ends what lost its object,
// prunes the call log.
import type { Pool } from "pg";
import type { ArtifactStore } from "../artifacts/artifacts.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { pruneCalls } from "../postgres/calls.ts";
import type { Fence } from "../postgres/fence.ts";
import type { Reports } from "../postgres/reports.ts";
import { sealLedger } from "../postgres/seal.ts";
import { sleep, systemClock } from "../runtime/clock.ts";

export interface JanitorDeps {
  readonly pool: Pool;
  readonly fence: Fence;
  readonly artifacts: ArtifactStore;
  readonly reports: Reports;
  /** One round of looking for tasks whose object is gone. */
  readonly endVanished: (signal: AbortSignal) => Promise<void>;
  readonly metrics: Metrics;
  readonly log: Log;
}

const EVERY_MS = 60_000;
const PRUNE_EVERY = 30;
const KEEP_CALLS_MS = 30 * 24 * 3_600_000;

/** Works until stopped. A round that fails is told and repeated with the next: nothing here is urgent. */
export async function runJanitor(deps: JanitorDeps, signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round += 1) {
    await tryTo(deps, "chain", () => seal(deps, signal), signal);
    await tryTo(deps, "books", () => checkBooks(deps, signal), signal);
    await tryTo(deps, "staging", () => sweep(deps, signal), signal);
    await tryTo(deps, "vanished", () => deps.endVanished(signal), signal);
    if (round % PRUNE_EVERY === 0) {
      await tryTo(
        deps,
        "calls",
        () => pruneCalls(deps.pool, deps.fence, { olderThanMs: KEEP_CALLS_MS, atMost: 5000 }, signal),
        signal,
      );
    }
    await sleep(systemClock, EVERY_MS, signal).catch(() => undefined);
  }
}

/** Told with its hash: the log is where the head of the chain is kept out of the database's reach. */
async function seal({ fence, log, pool }: JanitorDeps, signal: AbortSignal): Promise<void> {
  const sealed = await sealLedger(pool, fence, signal);
  if (sealed.outcome === "stale" || !sealed.head) return;
  const { hash, number } = sealed.head;
  log("info", "ledger.sealed", { block: number.toString(), hash, transactions: sealed.transactions });
}

async function checkBooks({ log, metrics, reports }: JanitorDeps, signal: AbortSignal): Promise<void> {
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
async function sweep({ artifacts, log }: JanitorDeps, signal: AbortSignal): Promise<void> {
  const { isMore, objects, uploads } = await artifacts.sweep(signal);
  log(objects + uploads > 0 ? "info" : "debug", "staging.swept", { objects, uploads, isMore });
}

async function tryTo(
  { log }: JanitorDeps,
  what: string,
  work: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!signal.aborted) log("warn", "janitor.failed", { what, error });
  }
}
