import { describe, expect, test } from "@jest/globals";
import { creditsOf, rowOf, tableOf } from "../../demo/table.ts";
import type { Row } from "../../demo/table.ts";
import { NOON, seenTask } from "./seen-task.ts";

const NOW = Date.parse(NOON) + 7_400;
const WIDE = { width: 200, height: 50 };

const row = (name: string, overrides: Partial<Row> = {}): Row => ({
  ...{ name, shows: "an image, the plain case", phase: "Polling", reason: "Running", attempt: "1" },
  ...{ job: "job_1234567890abcdef", credits: "0.01 held", seconds: "7", settled: false },
  ...overrides,
});

describe("credits are told by where they are", () => {
  const CASES = [
    { when: "nothing was reserved yet", credits: undefined, text: "" },
    { when: "a task that costs nothing", credits: { reserved: "0", settled: "0", released: "0" }, text: "" },
    { when: "held", credits: { reserved: "0.01", settled: "0", released: "0" }, text: "0.01 held" },
    { when: "paid", credits: { reserved: "0.1", settled: "0.1", released: "0" }, text: "0.1 paid" },
    { when: "given back", credits: { reserved: "0.1", settled: "0", released: "0.1" }, text: "0.1 back" },
    {
      when: "a first attempt given back, a second one held",
      credits: { reserved: "0.02", settled: "0", released: "0.01" },
      text: "0.01 held, 0.01 back",
    },
  ];
  test.each(CASES)("$when", ({ credits, text }) => {
    expect(creditsOf(credits)).toBe(text);
  });
});

describe("a row", () => {
  test("counts seconds from the creation until now", () => {
    expect(rowOf(seenTask("one", { phase: "Polling" }), "", NOW).seconds).toBe("7");
  });

  test("stops counting when the task has ended", () => {
    const status = { phase: "Succeeded", completionTime: "2026-11-30T12:00:03Z" } as const;
    expect(rowOf(seenTask("one", status), "", NOW)).toMatchObject({ seconds: "3", settled: true });
  });

  test("of a task that nobody has looked at yet has no phase", () => {
    expect(rowOf(seenTask("one"), "an image", NOW)).toMatchObject({
      phase: "–",
      shows: "an image",
      attempt: "",
      settled: false,
    });
  });

  test("in review is settled: nothing more happens by itself", () => {
    expect(rowOf(seenTask("one", { phase: "NeedsReview" }), "", NOW).settled).toBe(true);
  });
});

describe("the table", () => {
  const textOf = (rows: readonly Row[], area = WIDE): readonly string[] => tableOf(rows, area).map(({ text }) => text);

  test("has a heading and a line for each row, with its columns under each other", () => {
    const [heading = "", first = ""] = textOf([row("one"), row("a-longer-name")]);
    expect(heading.split(/ {2,}/)).toEqual([
      "NAME",
      "WHAT IT SHOWS",
      "PHASE",
      "REASON",
      "ATTEMPT",
      "JOB",
      "CREDITS",
      "SECONDS",
    ]);
    expect(first.indexOf("Polling")).toBe(heading.indexOf("PHASE"));
    expect(first).toContain("job_12345678…");
  });

  test("stands still while phases and credits change", () => {
    const [before = ""] = textOf([row("one", { phase: "–", reason: "", job: "", credits: "" })]);
    const [after = ""] = textOf([
      row("one", { phase: "SubmitUnknown", reason: "InsufficientCredits", credits: "0.01 paid, 0.01 back" }),
    ]);
    expect(after).toBe(before);
  });

  test.each([160, 120, 100, 80, 60, 40, 20])("fits a terminal of %i columns", (width) => {
    const lines = textOf([row("one"), row("a-longer-name")], { width, height: 50 });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines[1]).toMatch(/^one/);
  });

  test("on a narrow terminal keeps the phase", () => {
    expect(textOf([row("one")], { width: 60, height: 50 })[1]).toContain("Polling");
  });

  test("hides settled rows first where the screen is too low, and says how many", () => {
    const rows = [row("done", { settled: true }), row("first"), row("ended", { settled: true }), row("second")];
    expect(tableOf(rows, { width: 200, height: 4 }).map((line) => line.row?.name ?? line.text.slice(0, 4))).toEqual([
      "NAME",
      "first",
      "second",
      "… an",
    ]);
  });

  test.each([3, 4, 5, 10])("is at most %i lines high", (height) => {
    const rows = Array.from({ length: 12 }, (_, index) => row(`task-${index}`));
    expect(tableOf(rows, { width: 200, height }).length).toBeLessThanOrEqual(height);
  });
});
