// docs/reference/values.md is made from values.yaml and its schema: it must be current, and have every value of the schema.
import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { bare, readText, ROOT, rowsWith } from "./markdown.ts";

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

const ROWS = rowsWith(readText("docs/reference/values.md"), ["value", "type", "default", "meaning"]);

test("docs/reference/values.md is what values.yaml says", () => {
  const check = (): string =>
    execFileSync(process.execPath, ["charts/values-page.ts", "--check"], { cwd: ROOT, encoding: "utf8" });
  expect(check()).toBe("");
});

test("it has every value of the schema, and no other", () => {
  const schema = JSON.parse(readText("charts/generation-operator/values.schema.json")) as Schema;
  const told = ROWS.map(({ value }) => bare(value)).sort();
  const leaves = leavesOf(schema, "").filter((path) => path !== "global");
  const missing = leaves.filter((leaf) => !told.some((path) => isWithin(leaf, path)));
  const unknown = told.filter((path) => !leaves.some((leaf) => isWithin(leaf, path)));
  expect({ missing, unknown }).toEqual({ missing: [], unknown: [] });
});

/** The same, or one inside of the other. */
const isWithin = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);

/** A map whose keys are the user's has no properties of its own, or none that values.yaml shows. */
function leavesOf({ properties = {} }: Schema, path: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, inner]) =>
    inner.properties ? leavesOf(inner, `${path}${name}.`) : [`${path}${name}`],
  );
}
