import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { Counter, Gauge, Registry } from "prom-client";
import { LABEL_VALUES } from "../../operator/observe/label-values.ts";
import { METRICS } from "../../operator/observe/metric-table.ts";
import { makeRuntimeMetrics } from "../../operator/runtime/metrics.ts";
import { ROOT, bare, filesBelow, listed, readText, rowsWith } from "./markdown.ts";

interface Told {
  readonly kind: string;
  readonly labels: readonly string[];
  readonly meaning: string;
}

const PAGE = readText("docs/reference/metrics.md");
const ROWS = rowsWith(PAGE, ["metric", "kind", "labels", "told by", "meaning"]);
const TOLD = new Map(
  ROWS.map(({ metric, kind = "", labels, meaning = "" }) => [bare(metric), { kind, labels: listed(labels), meaning }]),
);

/** What prom-client keeps of a metric; its types do not show it. */
interface Registered {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

function ofRuntime(): ReadonlyMap<string, Told> {
  const registry = new Registry();
  const metrics = makeRuntimeMetrics(registry);
  metrics.controller("one");
  metrics.watch("one");
  metrics.elector("one");
  const registered = registry.getMetricsAsArray() as unknown as readonly Registered[];
  return new Map(registered.map((one) => [one.name, { kind: kindOf(one), labels: one.labelNames, meaning: one.help }]));
}

function kindOf(metric: unknown): string {
  if (metric instanceof Counter) return "counter";
  return metric instanceof Gauge ? "gauge" : "histogram";
}

function ofProduct(): ReadonlyMap<string, Told> {
  return new Map(
    Object.values(METRICS).map(({ name, kind, labels, help }) => [
      name,
      { kind, labels: Object.keys(labels), meaning: help },
    ]),
  );
}

const SOURCES = filesBelow(join(ROOT, "operator"), ".ts").map(readText).join("\n");

/** Metrics that no line of the product gives a value. */
function unrecorded(): readonly string[] {
  const product = Object.entries(METRICS)
    .filter(([key]) => !new RegExp(`\\b(count|observe|set|setAll)\\(\\s*"${key}"`).test(SOURCES))
    .map(([, { name }]) => name);
  const watches = ["runtime_watch_objects", "runtime_watch_silence_seconds", "runtime_watch_synced"];
  return [...product, ...(SOURCES.includes("runtimeMetrics.observe(") ? [] : watches)];
}

test("every operation that a call is timed as is a value of the label, and no other is", () => {
  const calls = filesBelow(join(ROOT, "operator", "reconcile"), ".ts")
    .map(readText)
    .join("\n");
  const timed = [...calls.matchAll(/\btimed\(deps, [^,]+, (?:"([a-z-]+)"|method),/g)].flatMap(([, word]) =>
    word === undefined ? ["look-up", "list"] : [word],
  );
  expect(timed.length).toBeGreaterThan(10);
  expect([...new Set(timed)].sort()).toEqual([...LABEL_VALUES.operation].sort());
});

describe("docs/reference/metrics.md", () => {
  const metrics = new Map([...ofProduct(), ...ofRuntime()]);

  test("has a row for every metric, and for no other", () => {
    expect([...TOLD.keys()].sort()).toEqual([...metrics.keys()].sort());
    expect(ROWS).toHaveLength(metrics.size);
  });

  test.each([...metrics])("says of %s what the code says", (name, { kind, labels, meaning }) => {
    expect(TOLD.get(name)).toEqual({ kind, labels, meaning });
  });

  test("says which metrics nobody records", () => {
    const nobody = ROWS.filter((row) => row["told by"] === "nobody").map(({ metric }) => bare(metric));
    expect(nobody.sort()).toEqual([...unrecorded()].sort());
  });
});
