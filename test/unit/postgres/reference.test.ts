// docs/reference/database.md is held to the code: every table, report and limit is there, and none that does not exist.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { readMigrations } from "../../../operator/postgres/migrate.ts";
import { POOL_LIMITS } from "../../../operator/postgres/pool.ts";
import { REPORTS } from "../../../operator/postgres/reports.ts";

let page: string;
let sql: string;
beforeAll(async () => {
  page = await readFile(path.join(import.meta.dirname, "../../../docs/reference/database.md"), "utf8");
  sql = (await readMigrations()).map((migration) => migration.sql).join("\n");
});

/** The first cells of the table under a heading, without their marks. */
function rowsUnder(heading: string): readonly string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? "";
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = ""]) => cell);
}

test("lists every table", () => {
  const tables = [...sql.matchAll(/create table genop\.(\w+)/g)].map(([, name = ""]) => name);
  expect([...rowsUnder("Tables")].sort()).toEqual([...tables, "migrations"].sort());
});

test("lists every report", () => {
  expect([...rowsUnder("Reports")].sort()).toEqual(REPORTS.map((report) => `report_${report}`).sort());
});

test("tells the limits that are in force", () => {
  expect([...rowsUnder("Limits")].sort()).toEqual(Object.keys(POOL_LIMITS).sort());
  for (const [name, limitMs] of Object.entries(POOL_LIMITS))
    expect(page).toMatch(new RegExp(`\`${name}\` *\\| *${limitMs / 1000} s`));
});
