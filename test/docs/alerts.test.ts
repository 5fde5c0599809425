// Alert rules, the pages that they send somebody to, and the metrics that they look at.
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { filesBelow, readText, ROOT } from "./markdown.ts";

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

const RUNBOOKS = "docs/operations/runbooks";
const file = parse(readText("charts/generation-operator/files/alerts.yaml")) as { groups: { rules: Alert[] }[] };
const ALERTS = file.groups.flatMap(({ rules }) => rules);

test("every alert has its runbook, and every runbook its alert", () => {
  const pages = filesBelow(`${ROOT}/${RUNBOOKS}`, ".md").map((path) => path.slice(RUNBOOKS.length + 1, -".md".length));
  expect(pages).toEqual(ALERTS.map(({ alert }) => alert).sort());
});

describe.each(ALERTS)("$alert", ({ alert, annotations, expr, labels }) => {
  test("looks at metrics that there are", () => {
    const named = expr.match(/\b(?:genop|runtime|controller_runtime|workqueue|rest_client|leader_election)_\w+/g) ?? [];
    const known = readText("docs/reference/metrics.md");
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !known.includes(`\`${name}\``))).toEqual([]);
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

  test("sends nobody after a log line that no code writes", () => {
    const lines = readText(`${RUNBOOKS}/${alert}.md`).match(/`[a-z]+\.[a-z]+(?:-[a-z]+)*`/g) ?? [];
    const words = lines
      .map((line) => line.slice(1, -1))
      .filter((line) => /^(leader|ledger|quota|watch|pass|start)\./.test(line));
    expect(words.filter((word) => !isLogged(word))).toEqual([]);
  });
});

test("the dashboard looks at metrics that there are", () => {
  const dashboard = readText("charts/generation-operator/files/dashboard.json");
  const known = readText("docs/reference/metrics.md");
  const named = dashboard.match(/\b(?:genop|runtime|controller_runtime|workqueue)_[a-z_]+/g) ?? [];
  const bare = named.map((name) => name.replace(/_bucket$/, ""));
  expect(bare.length).toBeGreaterThan(15);
  expect(bare.filter((name) => !known.includes(`\`${name}\``))).toEqual([]);
});

const SOURCES = filesBelow(`${ROOT}/operator`, ".ts").map(readText);

function isLogged(event: string): boolean {
  return SOURCES.some((text) => text.includes(`"${event}"`));
}
