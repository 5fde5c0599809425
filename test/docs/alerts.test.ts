// Alert rules, the pages that they send somebody to, and the metrics that they look at.
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { LABEL_VALUES } from "../../operator/observe/label-values.ts";
import { METRICS } from "../../operator/observe/metric-table.ts";
import { shellBlocksOf } from "../operator/follow.ts";
import { filesBelow, readText, ROOT } from "./markdown.ts";

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

const RUNBOOKS = "docs/operations/runbooks";
const file = parse(readText("charts/generation-operator/files/alerts.yaml")) as { groups: { rules: Alert[] }[] };
/** What the pages of reference name: the operator's metrics, and the shim's. */
const KNOWN = ["docs/reference/metrics.md", "docs/reference/rest.md"].map(readText).join("\n");
const isMetric = (name: string): boolean => KNOWN.includes(`| \`${name}\` |`);
const ALERTS = file.groups.flatMap(({ rules }) => rules);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(readText("charts/generation-operator/files/dashboard.json")) as {
  readonly panels: readonly Panel[];
};
const QUERIES = dashboard.panels.flatMap(({ targets = [], title }) => targets.map(({ expr }) => ({ title, expr })));

test("every alert has its runbook, and every runbook its alert", () => {
  const pages = filesBelow(`${ROOT}/${RUNBOOKS}`, ".md").map((path) => path.slice(RUNBOOKS.length + 1, -".md".length));
  expect(pages).toEqual(ALERTS.map(({ alert }) => alert).sort());
});

describe.each(ALERTS)("$alert", ({ alert, annotations, expr, labels }) => {
  test("looks at metrics that there are", () => {
    const named = expr.match(/\b(?:genop|runtime|controller_runtime|workqueue|rest_client|leader_election)_\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !isMetric(name))).toEqual([]);
  });

  test("says how urgent it is, and links to its page", () => {
    expect(["page", "ticket"]).toContain(labels.severity);
    expect(annotations.runbook_url).toBe(`RUNBOOK_URL/${alert}.md`);
    expect(annotations.summary).not.toBe("");
  });

  test("has a page with the four parts", () => {
    const headings = [...readText(`${RUNBOOKS}/${alert}.md`).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(["Meaning", "Impact", "Diagnosis", "Mitigation"]);
  });

  test("has a page with commands to begin with", () => {
    expect(shellBlocksOf(`${RUNBOOKS}/${alert}.md`).length).toBeGreaterThan(0);
  });

  test("sends nobody after a log line that no code writes", () => {
    const lines = readText(`${RUNBOOKS}/${alert}.md`).match(/`[a-z]+\.[a-z]+(?:-[a-z]+)*`/g) ?? [];
    const words = lines
      .map((line) => line.slice(1, -1))
      .filter((line) => /^(leader|ledger|quota|watch|pass|start)\./.test(line));
    expect(words.filter((word) => !isLogged(word))).toEqual([]);
  });
});

/** In a query: words that are followed by labels or a range, or stand alone, and are no function, label or keyword. */
const METRIC = /\b[a-z]\w*_\w+(?=[{[]|\)|$)/g;
/** Node's own, which prom-client makes in each process. */
const NODES = /^(process|nodejs)_[a-z_]+$/;

test.each(QUERIES)("the query of the dashboard's panel '$title' looks at metrics that there are", ({ expr }) => {
  const named = (expr.match(METRIC) ?? []).map((name) => name.replace(/_bucket$/, ""));
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !isMetric(name) && !NODES.test(name))).toEqual([]);
});

test("pages and rules select series that there can be", () => {
  const pages = ["docs/operations", "charts"].flatMap((folder) => filesBelow(`${ROOT}/${folder}`, ""));
  const selectors = pages.flatMap((page) => [...readText(page).matchAll(/\b(genop_\w+)\{([^{}$]*)\}/g)]);
  const told = selectors
    .map(([, metric = "", labels = ""]) => ({ metric, labels }))
    .filter(({ metric }) => !metric.startsWith("genop_rest_")); // the shim's, which it declares by itself
  expect(told.length).toBeGreaterThan(3);
  expect(told.filter(({ labels, metric }) => !isPossible(metric, labels))).toEqual([]);
});

/** Whether a series of the metric can have these labels, such as `phase="NeedsReview"`. */
function isPossible(metric: string, labels: string): boolean {
  const declared = Object.values(METRICS).find(({ name }) => name === metric.replace(/_bucket$/, ""));
  const matchers = [...labels.matchAll(/(\w+)(?:=|!=|=~|!~)\\?"([^"\\]*)/g)];
  const sets: Readonly<Record<string, string>> = declared?.labels ?? {};
  return matchers.every(([, label = "", values = ""]) => {
    const set = sets[label];
    const isOpen = set !== undefined && !Object.hasOwn(LABEL_VALUES, set);
    const known: readonly string[] = isOpen || set === undefined ? [] : LABEL_VALUES[set as keyof typeof LABEL_VALUES];
    return set !== undefined && (isOpen || values.split("|").every((value) => known.includes(value)));
  });
}

const SOURCES = filesBelow(`${ROOT}/operator`, ".ts").map(readText);

function isLogged(event: string): boolean {
  return SOURCES.some((text) => text.includes(`"${event}"`));
}
