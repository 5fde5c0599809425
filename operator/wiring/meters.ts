// What the adapters measure, put into the product's metrics.
import type { Pool } from "pg";
import type { Meter } from "../artifacts/meter.ts";
import type { Books } from "../reconcile/ports.ts";
import type { Ending, LiveAttempt } from "../task/action.ts";
import { least } from "../task/credits.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Reports } from "../postgres/reports.ts";
import { usageAges } from "../postgres/usage-reads.ts";
import type { UsageDeps } from "./usage.ts";

export function meterOf(metrics: Pick<Metrics, "count" | "observe">): Meter {
  return {
    received: (provider, bytes) => metrics.count("artifactBytes", { provider }, bytes),
    left: (what) => metrics.count("artifactsLeft", { what }),
    fetched: (provider, seconds) => metrics.observe("artifactSeconds", { provider }, seconds),
  };
}

const COUNT_MS = 4000;

/** Read at each scrape, by every replica: the database is the same for all. */
export function observeBooks(
  metrics: Metrics,
  { pool, reports }: { readonly pool: Pool; readonly reports: Reports },
): void {
  metrics.onScrape(() => {
    metrics.set("databasePool", { state: "used" }, pool.totalCount - pool.idleCount);
    metrics.set("databasePool", { state: "idle" }, pool.idleCount);
    metrics.set("databasePool", { state: "waiting" }, pool.waitingCount);
  });
  metrics.onScrape(async () => {
    const counts = await reports.counts(AbortSignal.timeout(COUNT_MS));
    metrics.setAll(
      "unknownAttempts",
      counts.map(({ provider, unknown }) => ({ labels: { provider }, value: unknown })),
    );
    metrics.setAll(
      "oldestUnknown",
      counts.map(({ oldestUnknownSeconds, provider }) => ({ labels: { provider }, value: oldestUnknownSeconds })),
    );
    metrics.setAll(
      "attemptsLive",
      counts.flatMap(({ fetching, inFlight, provider, waiting }) => [
        { labels: { provider, state: "waiting" }, value: waiting },
        { labels: { provider, state: "in-flight" }, value: inFlight },
        { labels: { provider, state: "fetching" }, value: fetching },
      ]),
    );
  });
}

/** How old what is known of each provider's bill is: of those whose bill is read. */
export function observeUsage(
  metrics: Metrics,
  { pool, usage }: { readonly pool: Pool; readonly usage: Pick<UsageDeps, "names" | "source"> },
): void {
  metrics.onScrape(async () => {
    const names = usage.names().filter((name) => usage.source(name) !== undefined);
    const ages = await usageAges(pool, names, AbortSignal.timeout(COUNT_MS));
    metrics.setAll(
      "usageAge",
      ages.map(({ provider, seconds: value }) => ({ labels: { provider }, value })),
    );
  });
}

/** The books, counted: what this process ended and booked. A view for graphs, never the books themselves. */
export function countingBooks(books: Books, metrics: Pick<Metrics, "count">): Books {
  return {
    ...books,
    begin: async (beginning, signal) => {
      const begun = await books.begin(beginning, signal);
      if (begun.outcome === "begun") metrics.count("credits", { kind: "reserved" }, credits(beginning.estimate));
      return begun;
    },
    end: async (attempt, ending, assets) => {
      const written = await books.end(attempt, ending, assets);
      if (written.outcome === "done") countEnd(metrics, attempt, ending);
      return written;
    },
  };
}

function countEnd(metrics: Pick<Metrics, "count">, { held, provider }: LiveAttempt, { charge, reason }: Ending): void {
  const settled = least(charge, held);
  metrics.count("attemptsEnded", { provider, reason });
  metrics.count("credits", { kind: "settled" }, credits(settled));
  metrics.count("credits", { kind: "released" }, credits(held - settled));
  metrics.count("credits", { kind: "lost" }, credits(charge - settled));
}

export function credits(micro: bigint): number {
  return Number(micro) / 1_000_000;
}
