// controller_runtime_* and workqueue_*: the names of controller-runtime, so that its dashboards and alerts fit.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ControllerLoad, ControllerMetrics } from "./controller.ts";
import type { PassMetrics, PassResult } from "./pass.ts";
import type { QueueMetrics } from "./queue.ts";

const RESULTS: readonly PassResult[] = ["success", "error", "requeue", "requeue_after"];
const PRIORITIES = ["live", "background"] as const;

// 10 ns to 1000 s.
const QUEUE_BUCKETS = Array.from({ length: 12 }, (_, power) => 10 ** (power - 8));
const PASS_BUCKETS = [
  ...[0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
  ...[1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60],
];

type Observed = ReadonlyMap<string, readonly ControllerLoad[]>;

/** Makes the metrics of one controller by its name. */
export function makeControllerMetrics(registry: Registry): (name: string) => ControllerMetrics {
  const observed = new Map<string, ControllerLoad[]>();
  const queueMetrics = makeQueueMetrics(registry);
  const passMetrics = makePassMetrics(registry);
  observeQueues(registry, observed);
  observeWorkers(registry, observed);
  return (name) => ({
    ...passMetrics(name),
    queue: queueMetrics(name),
    // Several of one name, such as one a shard, are told together.
    observe: (load) => void observed.set(name, [...(observed.get(name) ?? []), load]),
  });
}

function makeQueueMetrics(registry: Registry): (name: string) => QueueMetrics {
  const labelNames = ["name", "controller"];
  const registers = [registry];
  const counter = (name: string, help: string): Counter => new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string): Histogram =>
    new Histogram({ name, help, labelNames, buckets: QUEUE_BUCKETS, registers });

  const adds = counter("workqueue_adds_total", "Keys added.");
  const retries = counter("workqueue_retries_total", "Keys added again after a fault.");
  const waits = histogram("workqueue_queue_duration_seconds", "From ready to begun.");
  const works = histogram("workqueue_work_duration_seconds", "From begun to ended.");

  return (name) => {
    const labels = { name, controller: name };
    adds.inc(labels, 0);
    retries.inc(labels, 0);
    waits.zero(labels);
    works.zero(labels);
    return {
      added: () => adds.inc(labels),
      retried: () => retries.inc(labels),
      taken: (waitedSeconds) => waits.observe(labels, waitedSeconds),
      worked: (seconds) => works.observe(labels, seconds),
    };
  };
}

function makePassMetrics(registry: Registry): (name: string) => PassMetrics {
  const labelNames = ["controller"];
  const registers = [registry];
  const counter = (name: string, help: string): Counter => new Counter({ name, help, labelNames, registers });
  const results = new Counter({
    name: "controller_runtime_reconcile_total",
    help: "Passes by result.",
    labelNames: ["controller", "result"],
    registers,
  });
  const times = new Histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "The duration of passes.",
    ...{ labelNames, buckets: PASS_BUCKETS, registers },
  });
  const faults = {
    error: counter("controller_runtime_reconcile_errors_total", "Passes that failed."),
    terminal: counter("controller_runtime_terminal_reconcile_errors_total", "Passes that failed for good."),
    panic: counter("controller_runtime_reconcile_panics_total", "Passes that failed by a bug."),
    timeout: counter("controller_runtime_reconcile_timeouts_total", "Passes that took too long."),
  };

  return (controller) => {
    for (const result of RESULTS) results.inc({ controller, result }, 0);
    for (const fault of Object.values(faults)) fault.inc({ controller }, 0);
    times.zero({ controller });
    return {
      ended: (result, seconds) => {
        results.inc({ controller, result });
        times.observe({ controller }, seconds);
      },
      failed: (kind) => faults[kind].inc({ controller }),
    };
  };
}

function observeQueues(registry: Registry, observed: Observed): void {
  const labelNames = ["name", "controller"];
  const registers = [registry];
  const gauge = (name: string, help: string, read: (inFlightMs: readonly number[]) => number): void => {
    const collect = function (this: Gauge): void {
      for (const [controller, loads] of observed) {
        this.set({ name: controller, controller }, read(loads.flatMap((load) => load.inFlightMs())));
      }
    };
    new Gauge({ name, help, labelNames, registers, collect });
  };
  new Gauge({
    name: "workqueue_depth",
    help: "Keys that are ready and not begun.",
    labelNames: [...labelNames, "priority"],
    registers,
    collect() {
      for (const [controller, loads] of observed) {
        for (const priority of PRIORITIES) {
          this.set(
            { name: controller, controller, priority },
            sumOf(loads, (load) => load.depth(priority)),
          );
        }
      }
    },
  });
  gauge("workqueue_unfinished_work_seconds", "The age of all passes under way together.", (inFlightMs) =>
    inFlightMs.reduce((sum, ms) => sum + ms / 1000, 0),
  );
  gauge("workqueue_longest_running_processor_seconds", "The age of the oldest pass under way.", (inFlightMs) =>
    inFlightMs.reduce((longest, ms) => Math.max(longest, ms / 1000), 0),
  );
}

function observeWorkers(registry: Registry, observed: Observed): void {
  const labelNames = ["controller"];
  const registers = [registry];
  new Gauge({
    name: "controller_runtime_max_concurrent_reconciles",
    help: "Passes that may run at once.",
    ...{ labelNames, registers },
    collect() {
      for (const [controller, loads] of observed)
        this.set(
          { controller },
          sumOf(loads, (load) => load.maxWorkers),
        );
    },
  });
  new Gauge({
    name: "controller_runtime_active_workers",
    help: "Passes under way.",
    ...{ labelNames, registers },
    collect() {
      for (const [controller, loads] of observed) {
        this.set(
          { controller },
          sumOf(loads, (load) => load.activeWorkers()),
        );
      }
    },
  });
}

function sumOf(loads: readonly ControllerLoad[], read: (load: ControllerLoad) => number): number {
  return loads.reduce((sum, load) => sum + read(load), 0);
}
