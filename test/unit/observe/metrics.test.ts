import { describe, expect, jest, test } from "@jest/globals";
import { LABEL_VALUES } from "../../../operator/observe/label-values.ts";
import { METRICS } from "../../../operator/observe/metric-table.ts";
import { makeMetrics } from "../../../operator/observe/metrics.ts";
import type { Operation } from "../../../operator/reconcile/ports.ts";
import type { Action } from "../../../operator/task/action.ts";
import { END_REASONS } from "../../../operator/task/attempt.ts";
import type { OutcomeWord } from "../../../operator/task/outcome.ts";
import { PHASES } from "../../../operator/task/resource.ts";

const lines = async (metrics: ReturnType<typeof makeMetrics>, start: string): Promise<readonly string[]> =>
  (await metrics.scrape()).text.split("\n").filter((line) => line.startsWith(start));

describe("the table of metrics", () => {
  test.each(Object.values(METRICS).map((metric) => ({ metric })))(
    "$metric.name follows the conventions",
    ({ metric }) => {
      expect(metric.name).toMatch(/^genop_[a-z_]+$/);
      expect(metric.name.endsWith("_total")).toBe(metric.kind === "counter");
      expect(metric.help).toMatch(/^[A-Z1].*\.$/);
    },
  );

  test("the closed sets are the core's own words", () => {
    expect(LABEL_VALUES.phase).toEqual(PHASES);
    expect(LABEL_VALUES.endReason).toEqual(END_REASONS);
    // Types as values: without a word that the core gains, this does not compile.
    const outcomes = {
      ...{ accepted: 1, "not-sent": 1, throttled: 1, refused: 1, reused: 1, "locked-out": 1, ambiguous: 1 },
      ...{ found: 1, missed: 1, several: 1, unanswered: 1, job: 1, missing: 1, asked: 1, "too-late": 1 },
      ...{ published: 1, expired: 1, unusable: 1, interrupted: 1 },
    } satisfies Record<OutcomeWord, 1>;
    const actions = {
      ...{ rest: 1, wait: 1, pin: 1, "adopt-record": 1, begin: 1, submit: 1, search: 1, poll: 1, "ask-cancel": 1 },
      ...{
        fetch: 1,
        "end-attempt": 1,
        "end-task": 1,
        park: 1,
        unpark: 1,
        confirm: 1,
        recover: 1,
        "let-go": 1,
        remove: 1,
      },
    } satisfies Record<Action["type"], 1>;
    const searches = { replay: 1, "look-up": 1, list: 1 } as const;
    const operations = { ...searches, submit: 1, query: 1, confirm: 1, cancel: 1, fetch: 1 } satisfies Record<
      Operation,
      1
    >;
    expect([...LABEL_VALUES.operation].sort()).toEqual(Object.keys(operations).sort());
    expect([...LABEL_VALUES.outcome].sort()).toEqual(Object.keys(outcomes).sort());
    expect([...LABEL_VALUES.action].sort()).toEqual(Object.keys(actions).sort());
  });
});

describe("metrics", () => {
  test("series with closed labels are there from the start, at 0", async () => {
    const metrics = makeMetrics();
    expect(await lines(metrics, "genop_tasks{")).toHaveLength(PHASES.length);
    expect(await lines(metrics, "genop_quota_problems")).toEqual(["genop_quota_problems 0"]);
  });

  test("a label value outside its set is counted as other, and makes no series of its own", async () => {
    const metrics = makeMetrics();
    for (const outcome of ["accepted", "x'} 1\nforged 1", "weird"])
      metrics.count("calls", { provider: "acme", operation: "submit", outcome });
    expect(await lines(metrics, "genop_calls_total{")).toEqual([
      'genop_calls_total{provider="acme",operation="submit",outcome="accepted"} 1',
      'genop_calls_total{provider="acme",operation="submit",outcome="other"} 2',
    ]);
  });

  test("names from outside are bounded by count", async () => {
    const metrics = makeMetrics();
    for (let index = 0; index < 200; index += 1) metrics.set("providerReady", { provider: `p${index}` }, 1);
    expect((await lines(metrics, "genop_provider_ready{")).length).toBe(65);
  });

  test("setAll drops what is no longer listed", async () => {
    const metrics = makeMetrics();
    metrics.setAll("providerReady", [
      { labels: { provider: "a" }, value: 1 },
      { labels: { provider: "b" }, value: 1 },
    ]);
    metrics.setAll("providerReady", [{ labels: { provider: "b" }, value: 0 }]);
    expect(await lines(metrics, "genop_provider_ready{")).toEqual(['genop_provider_ready{provider="b"} 0']);
    metrics.setAll("tasks", [{ labels: { phase: "Polling" }, value: 3 }]);
    expect((await lines(metrics, "genop_tasks{")).filter((line) => !line.endsWith(" 0"))).toEqual([
      'genop_tasks{phase="Polling"} 3',
    ]);
  });

  test.each([NaN, Infinity, -1])("a counter is not moved by %d", async (by) => {
    const metrics = makeMetrics();
    expect(() => metrics.count("credits", { kind: "settled" }, by)).not.toThrow();
    expect(await lines(metrics, 'genop_credits_total{kind="settled"')).toEqual([
      'genop_credits_total{kind="settled"} 0',
    ]);
  });

  test("a collector that fails is counted, and the scrape is served", async () => {
    const metrics = makeMetrics();
    metrics.onScrape(() => {
      throw new Error("no database");
    });
    metrics.onScrape(() => Promise.reject(new Error("no database")));
    expect(await lines(metrics, "genop_metrics_collect_failures_total")).toEqual([
      "genop_metrics_collect_failures_total 2",
    ]);
  });

  test("a collector that hangs does not hold the scrape", async () => {
    jest.useFakeTimers();
    try {
      const metrics = makeMetrics();
      metrics.onScrape(() => new Promise(() => undefined));
      const scraped = lines(metrics, "genop_metrics_collect_failures_total");
      await jest.advanceTimersByTimeAsync(2000);
      expect(await scraped).toEqual(["genop_metrics_collect_failures_total 1"]);
    } finally {
      jest.useRealTimers();
    }
  });
});
