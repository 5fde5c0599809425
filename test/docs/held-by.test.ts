// Pages of operations say of each line which test holds it: that test must be there, under that name, where jest runs it.
import { describe, expect, test } from "@jest/globals";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isTest, readText, ROOT } from "./markdown.ts";

const PAGES = ["docs/operations/degradation.md", "docs/operations/security.md"];

/** The lines of tables whose last column is `held by`. */
function rowsOf(page: string): readonly string[] {
  const lines = readText(page).split("\n");
  const from = lines.findIndex((line) => line.endsWith("| held by |"));
  const rows = lines.slice(from + 2);
  return rows.slice(
    0,
    rows.findIndex((line) => !line.startsWith("|")),
  );
}

const ROWS = PAGES.flatMap((page) =>
  rowsOf(page).map((line) => {
    const [, file = "", link = "", name = ""] = /\| \[([^\]]+)\]\(([^)]+)\): "(.+)" \|$/.exec(line) ?? [];
    return { page, what: line.split("|")[1]?.trim() ?? "", file, link, name };
  }),
);

describe.each(PAGES)("%s", (page) => {
  test("has lines", () => {
    expect(ROWS.filter((row) => row.page === page).length).toBeGreaterThan(10);
  });
});

test.each(ROWS)('$page: "$what" is held by the test that it names', ({ file, link, name }) => {
  expect(link).toBe(`../../${file}`);
  expect(isTest(file)).toBe(true);
  expect(existsSync(join(ROOT, file))).toBe(true);
  // As written in the file, where `$when` stands for the row of a table.
  expect(readText(file).replaceAll(/\$\{?\w+\}?/g, "…")).toContain(name.replaceAll(/\$\{?\w+\}?/g, "…"));
});
