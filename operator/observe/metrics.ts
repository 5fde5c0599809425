// The product's metrics as calls. What exists stands in `metric-table.ts`; this file adds no metric and no label.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { closedCombinations, makeLabelBounds } from "./labels.ts";
import { METRICS } from "./metric-table.ts";

type Table = typeof METRICS;
type Named<Kind extends Table[keyof Table]["kind"]> = {
  [Name in keyof Table]: Table[Name]["kind"] extends Kind ? Name : never;
}[keyof Table];
type LabelsOf<Name extends keyof Table> = Readonly<Record<keyof Table[Name]["labels"], string>>;

export interface Row<Name extends keyof Table> {
  readonly labels: LabelsOf<Name>;
  readonly value: number;
}

/** None of these throws: a label value outside its set is counted as "other", and a value that is no number is dropped. */
export interface Metrics {
  readonly registry: Registry;
  count<Name extends Named<"counter">>(metric: Name, labels: LabelsOf<Name>, by?: number): void;
  observe<Name extends Named<"histogram">>(metric: Name, labels: LabelsOf<Name>, value: number): void;
  set<Name extends Named<"gauge">>(metric: Name, labels: LabelsOf<Name>, value: number): void;
  /** Makes these the only rows of the gauge: what is not listed is gone, or 0 where the sets of labels are closed. */
  setAll<Name extends Named<"gauge">>(metric: Name, rows: readonly Row<Name>[]): void;
  /** Called before each scrape, all at once. One that fails or takes too long is counted, and the last values stand. */
  onScrape(collect: () => void | Promise<void>): void;
  /** All metrics of the registry as text. */
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** A store that takes longer to be counted is as good as down: the REST face takes no new work then. */
const COLLECT_MS = 2000;

/** Registers the product's metrics, and Node's own, with a registry that may hold others too. */
export function makeMetrics(registry: Registry = new Registry()): Metrics {
  collectDefaultMetrics({ register: registry });
  const bounded = makeLabelBounds();
  const { counters, gauges, histograms } = registered(registry);
  const collectors: (() => void | Promise<void>)[] = [];

  const metrics: Metrics = {
    registry,
    count: (metric, labels, by = 1) => {
      if (Number.isFinite(by) && by >= 0) counters.get(metric)?.inc(bounded(metric, labels), by);
    },
    observe: (metric, labels, value) => {
      if (Number.isFinite(value)) histograms.get(metric)?.observe(bounded(metric, labels), value);
    },
    set: (metric, labels, value) => {
      if (Number.isFinite(value)) gauges.get(metric)?.set(bounded(metric, labels), value);
    },
    setAll: (metric, rows) => {
      gauges.get(metric)?.reset();
      closedCombinations(metric).forEach((labels) => gauges.get(metric)?.set(labels, 0));
      rows.forEach(({ labels, value }) => metrics.set(metric, labels, value));
    },
    onScrape: (collect) => void collectors.push(collect),
    scrape: async () => {
      const collected = await Promise.all(collectors.map((collect) => inTime(collect)));
      metrics.count("collectFailures", {}, collected.filter((done) => !done).length);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
  return metrics;
}

function registered(registry: Registry): {
  readonly counters: ReadonlyMap<string, Counter>;
  readonly gauges: ReadonlyMap<string, Gauge>;
  readonly histograms: ReadonlyMap<string, Histogram>;
} {
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  for (const key of Object.keys(METRICS) as (keyof Table)[]) {
    const declared = METRICS[key];
    const { name, help } = declared;
    const settings = { name, help, labelNames: Object.keys(declared.labels), registers: [registry] };
    switch (declared.kind) {
      case "counter":
        counters.set(
          key,
          withZeroes(new Counter(settings), (metric, labels) => metric.inc(labels, 0), key),
        );
        break;
      case "gauge":
        gauges.set(
          key,
          withZeroes(new Gauge(settings), (metric, labels) => metric.set(labels, 0), key),
        );
        break;
      case "histogram":
        histograms.set(key, new Histogram({ ...settings, buckets: [...declared.buckets] }));
        break;
    }
  }
  return { counters, gauges, histograms };
}

/** A series that is absent until it first counts hides its first increase from `rate()`. */
function withZeroes<M>(metric: M, zero: (metric: M, labels: Record<string, string>) => void, key: keyof Table): M {
  closedCombinations(key).forEach((labels) => zero(metric, labels));
  return metric;
}

/** Whether it was done, without a fault, within its time. */
async function inTime(collect: () => void | Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, COLLECT_MS, false);
    timer.unref(); // a scrape under way keeps no process alive
  });
  const done = Promise.resolve()
    .then(collect)
    .then(
      () => true,
      () => false,
    );
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}
