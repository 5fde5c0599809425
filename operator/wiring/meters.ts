// What the adapters measure, put into the product's metrics.
import type { Pool } from "pg";
import type { Meter } from "../artifacts/meter.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Reports } from "../postgres/reports.ts";

export function meterOf(metrics: Pick<Metrics, "count" | "observe">): Meter {
  return {
    answered: () => undefined,
    received: (provider, bytes) => metrics.count("artifactBytes", { provider }, bytes),
    brought: () => undefined,
    fetched: (provider, _outcome, _code, seconds) => metrics.observe("artifactSeconds", { provider }, seconds),
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
        { labels: { provider, state: "intended" }, value: waiting },
        { labels: { provider, state: "accepted" }, value: inFlight },
        { labels: { provider, state: "ready" }, value: fetching },
      ]),
    );
  });
}
