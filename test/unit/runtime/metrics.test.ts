// The names that dashboards know, present from the start, and moved by what happens.
import { expect, test } from "@jest/globals";
import { Registry } from "prom-client";
import { makeController } from "../../../operator/runtime/controller.ts";
import { makeRuntimeMetrics } from "../../../operator/runtime/metrics.ts";
import { settle } from "./manual-clock.ts";

async function valueOf(registry: Registry, name: string, labels: Record<string, string>): Promise<number | undefined> {
  const metric = await registry.getSingleMetric(name)?.get();
  const match = metric?.values.find((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return match?.value;
}

const ZERO: readonly (readonly [string, Record<string, string>])[] = [
  ["workqueue_adds_total", { name: "c", controller: "c" }],
  ["workqueue_retries_total", { name: "c", controller: "c" }],
  ["workqueue_depth", { name: "c", controller: "c", priority: "live" }],
  ["workqueue_depth", { name: "c", controller: "c", priority: "background" }],
  ["workqueue_queue_duration_seconds", { name: "c", le: "+Inf" }],
  ["workqueue_work_duration_seconds", { name: "c", le: "+Inf" }],
  ["workqueue_unfinished_work_seconds", { name: "c" }],
  ["workqueue_longest_running_processor_seconds", { name: "c" }],
  ...["success", "error", "requeue", "requeue_after"].map(
    (result) => ["controller_runtime_reconcile_total", { controller: "c", result }] as const,
  ),
  ["controller_runtime_reconcile_errors_total", { controller: "c" }],
  ["controller_runtime_terminal_reconcile_errors_total", { controller: "c" }],
  ["controller_runtime_reconcile_panics_total", { controller: "c" }],
  ["controller_runtime_reconcile_timeouts_total", { controller: "c" }],
  ["controller_runtime_reconcile_time_seconds", { controller: "c", le: "+Inf" }],
  ["controller_runtime_active_workers", { controller: "c" }],
  ["leader_election_master_status", { name: "lease" }],
  ["leader_election_slowpath_total", { name: "lease" }],
  ["runtime_watch_restarts_total", { name: "things", reason: "Stalled" }],
  ["runtime_watch_events_total", { name: "things", type: "BOOKMARK" }],
  ["runtime_watch_relists_total", { name: "things" }],
  ["runtime_events_total", { result: "dropped_spam" }],
];

test("each series is there and zero before anything happened", async () => {
  const registry = new Registry();
  const metrics = makeRuntimeMetrics(registry);
  makeController({ name: "c", reconcile: () => Promise.resolve("rest"), metrics: metrics.controller("c") });
  metrics.elector("lease");
  metrics.watch("things");
  for (const [name, labels] of ZERO) {
    expect({ name, labels, value: await valueOf(registry, name, labels) }).toEqual({ name, labels, value: 0 });
  }
  expect(await valueOf(registry, "controller_runtime_max_concurrent_reconciles", { controller: "c" })).toBe(1);
});

test("passes, calls and watches move their series", async () => {
  const registry = new Registry();
  const metrics = makeRuntimeMetrics(registry);
  let finish = (): void => undefined;
  const reconcile = (): Promise<"rest"> => new Promise((resolve) => (finish = () => resolve("rest")));
  const controller = makeController({ name: "c", reconcile, metrics: metrics.controller("c"), keys: () => ["a", "b"] });
  const stop = new AbortController();
  const running = controller.run({ stop: stop.signal, force: new AbortController().signal });
  await settle();
  expect(await valueOf(registry, "controller_runtime_active_workers", { controller: "c" })).toBe(1);
  expect(await valueOf(registry, "workqueue_depth", { name: "c", priority: "background" })).toBe(1);
  finish();
  await settle();
  stop.abort();
  finish();
  await running;
  expect(await valueOf(registry, "controller_runtime_reconcile_total", { controller: "c", result: "success" })).toBe(2);

  metrics.rest.answered({ method: "GET", host: "h:1", code: "200", seconds: 0.2 });
  expect(await valueOf(registry, "rest_client_requests_total", { code: "200", method: "GET", host: "h:1" })).toBe(1);
  metrics.watch("things").restarted("SomethingTheServerMadeUp");
  expect(await valueOf(registry, "runtime_watch_restarts_total", { name: "things", reason: "Other" })).toBe(1);
  metrics.observe({ name: "things", size: () => 3, heardAgoMs: () => 2_000, hasSynced: () => true });
  expect(await valueOf(registry, "runtime_watch_silence_seconds", { name: "things" })).toBe(2);
});
