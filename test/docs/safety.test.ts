// docs/safety.md names a test for each invariant: the test must be there, under that name.
import { describe, expect, test } from "@jest/globals";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, isTest, readText, rowsWith } from "./markdown.ts";

const PAGE = readText("docs/safety.md");

interface Proof {
  readonly invariant: string;
  readonly file: string;
  readonly name: string;
}

/** The sections of the page by their invariant. */
const SECTIONS = [...PAGE.matchAll(/^### (I\d+) (.+)\n([\s\S]*?)(?=^##)/gm)].map(
  ([, invariant = "", title = "", body = ""]) => ({ invariant, title, body }),
);
const PROOFS: readonly Proof[] = SECTIONS.flatMap(({ body, invariant }) =>
  [...body.matchAll(/^- \[(test\/[^\]]+)\]\(\.\.\/[^)]+\): "(.+)"$/gm)].map(([, file = "", name = ""]) => ({
    invariant,
    file,
    name,
  })),
);

describe("docs/safety.md", () => {
  test("has the invariants of docs/architecture.md, in their words", () => {
    const rows = rowsWith(readText("docs/architecture.md"), ["Invariant", "Why it holds"]);
    expect(SECTIONS.map(({ invariant, title }) => `${invariant} ${title}`)).toEqual(
      rows.map(({ Invariant }) => Invariant),
    );
  });

  test.each(SECTIONS)("names a mechanism and a proof of $invariant", ({ body, invariant }) => {
    expect(body).toMatch(/\]\(\.\.\/operator\//);
    expect(PROOFS.filter((proof) => proof.invariant === invariant).length).toBeGreaterThan(0);
  });

  test("every line that looks like a proof is read as one", () => {
    const lines = SECTIONS.flatMap(({ body }) => body.split("\n").filter((line) => line.startsWith("- ")));
    expect(PROOFS).toHaveLength(lines.length);
  });

  test.each([...PROOFS])('$invariant: $file has the test "$name"', ({ file, name }) => {
    expect(isTest(file)).toBe(true);
    expect(existsSync(join(ROOT, file))).toBe(true);
    expect(readText(file)).toContain(name);
  });

  test("says what is not promised", () => {
    expect(PAGE).toMatch(/^## What is not promised\n\n(- [\s\S]+?){8}/m);
  });
});
