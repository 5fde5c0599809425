import { describe, expect, test } from "@jest/globals";
import { END_REASONS } from "../../operator/task/attempt.ts";
import { chargeOf } from "../../operator/task/charge.ts";
import { micro } from "../../operator/task/credits.ts";
import { REASONS } from "../../operator/task/reasons.ts";
import { GRANT_REASONS, PROVIDER_REASONS } from "../../operator/kube/provider-reasons.ts";
import { PHASES } from "../../operator/task/resource.ts";
import type { LiveAttempt } from "../../operator/task/action.ts";
import { bare, readText, rowsWith } from "./markdown.ts";
import type { Row } from "./markdown.ts";

const PAGE = readText("docs/reference/reasons.md");

const sentences = (rows: readonly Row[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(rows.map(({ reason, sentence }) => [bare(reason), sentence]));

const TASK_ROWS = rowsWith(PAGE, ["reason", "sentence", "phase", "what a person does"]);
const OTHER_ROWS = rowsWith(PAGE, ["reason", "sentence", "condition"]);

describe("docs/reference/reasons.md", () => {
  test("has every reason of tasks with its sentence, and no other", () => {
    expect(sentences(TASK_ROWS)).toEqual(REASONS);
    expect(TASK_ROWS).toHaveLength(Object.keys(REASONS).length);
  });

  test.each(TASK_ROWS)("names phases for $reason that exist", ({ phase = "" }) => {
    expect(phase.split(", ").filter((name) => !PHASES.some((known) => known === name))).toEqual([]);
  });

  test("has every reason of providers and grants with its sentence, and no other", () => {
    expect(sentences(OTHER_ROWS)).toEqual({ ...PROVIDER_REASONS, ...GRANT_REASONS });
  });

  test("says for every end of an attempt what is charged without the provider's word", () => {
    const held = micro(7n);
    const charged = END_REASONS.map((end): [string, string] => [
      end,
      chargeOf({ held } as LiveAttempt, end, undefined) === held ? "held" : "nothing",
    ]);
    const told = rowsWith(PAGE, ["end", "charged", "another attempt"]);
    expect(told.map(({ end, charged: what }) => [bare(end), what])).toEqual(charged);
  });

  test("has every event of tasks with its type, and no other", () => {
    const source = readText("operator/kube/task-events.ts");
    const inCode = [...source.matchAll(/\b(normal|warning)\("([A-Za-z]+)"/g)].map(
      ([, make, name]) => `${name} ${make === "normal" ? "Normal" : "Warning"}`,
    );
    const told = rowsWith(PAGE, ["event", "type", "when"]).map(({ event, type }) => `${bare(event)} ${type}`);
    expect(inCode.length).toBeGreaterThan(0);
    expect([...told].sort()).toEqual([...inCode].sort());
  });
});
