import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { ROOT, filesBelow, linksOf, readText } from "./markdown.ts";

const INDEX = readText("docs/adr/README.md");
const PAGES = filesBelow(join(ROOT, "docs", "adr"), ".md")
  .map((path) => path.replace("docs/adr/", ""))
  .filter((name) => name !== "README.md");

describe("docs/adr", () => {
  test("numbers are unique", () => {
    const numbers = PAGES.map((name) => name.slice(0, 4));
    expect(numbers).toEqual([...new Set(numbers)]);
  });

  test("the index has every decision, in order, and no other", () => {
    expect(linksOf(INDEX)).toEqual(PAGES);
  });

  test.each(PAGES)("%s has its number in the title, a status, a decision and what would change our mind", (name) => {
    const text = readText(`docs/adr/${name}`);
    expect(text.split("\n")[0]).toMatch(new RegExp(`^# ${name.slice(0, 4)} `));
    expect(text).toMatch(/^Status: (accepted|superseded by [0-9]{4})/m);
    expect(text).toMatch(/^## What would change our mind$/m);
  });
});
