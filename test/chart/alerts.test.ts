// Each alert of the chart, tried by promtool as Prometheus would see it: it fires when it should, says what it should, and is silent
// when it should be.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { ALERT_CASES, type AlertCase } from "./alert-cases.ts";
import { CHART } from "./helm.ts";
import { ensurePromtool } from "./promtool.ts";

const run = promisify(execFile);
const RULES = join(CHART, "files", "alerts.yaml");
const BUILD_MS = 1_800_000;
const LIMIT_MS = 60_000;

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
}
const { groups } = parse(readFileSync(RULES, "utf8")) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

let promtool: string;
const folder = mkdtempSync(join(tmpdir(), "genop-alerts-"));
beforeAll(async () => {
  promtool = await ensurePromtool((line) => void process.stderr.write(`${line}\n`));
}, BUILD_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What promtool says; rejects with its words when it is not content. */
async function ask(...args: readonly string[]): Promise<string> {
  return run(promtool, args, { timeout: LIMIT_MS }).then(
    ({ stdout }) => stdout,
    (error: unknown) => Promise.reject(new Error(String((error as { readonly stdout?: unknown }).stdout ?? error))),
  );
}

test("promtool has nothing to say of the rules", async () => {
  expect(await ask("check", "rules", "--lint=all", "--lint-fatal", RULES)).toContain(
    `SUCCESS: ${rules.length} rules found`,
  );
});

test("promtool can read every query of the dashboard", async () => {
  const { panels } = JSON.parse(readFileSync(join(CHART, "files", "dashboard.json"), "utf8")) as {
    readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const recorded = queries.map((expr, index) => ({ record: `panel:${index}`, expr }));
  const path = join(folder, "dashboard.yaml");
  writeFileSync(path, JSON.stringify({ groups: [{ name: "dashboard", rules: recorded }] }));
  expect(await ask("check", "rules", path)).toContain(`SUCCESS: ${queries.length} rules found`);
});

test("there are cases for every alert, and for no other", () => {
  expect([...new Set(ALERT_CASES.map(({ alert }) => alert))].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  for (const { alert } of rules) {
    const cases = ALERT_CASES.filter((one) => one.alert === alert);
    expect([alert, cases.some(({ fires }) => fires), cases.some(({ fires }) => !fires)]).toEqual([alert, true, true]);
  }
});

describe.each(ALERT_CASES)("$alert", (one) => {
  test(`${one.fires ? "fires" : "is silent"} when ${one.when}`, async () => {
    const path = join(folder, `${ALERT_CASES.indexOf(one)}.yaml`);
    writeFileSync(path, JSON.stringify({ rule_files: [RULES], evaluation_interval: "1m", tests: [testOf(one)] })); // JSON is YAML
    expect(await ask("test", "rules", path)).toContain("SUCCESS");
  });
});

function testOf({ alert, at, fires, series }: AlertCase): object {
  const rule = rules.find((found) => found.alert === alert);
  const told = fires && {
    exp_labels: { ...fires.labels, severity: rule?.labels.severity },
    exp_annotations: {
      summary: fires.summary,
      description: fires.description,
      runbook_url: rule?.annotations.runbook_url,
    },
  };
  return {
    interval: "1m",
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: told ? [told] : [] }],
  };
}
