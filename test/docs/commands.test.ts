// What a page tells people to type: a shell can read it, the program is one that they have, and options are written out.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import { filesBelow, readText, ROOT, blocksOf } from "./markdown.ts";

const PAGES = filesBelow(`${ROOT}/docs/operations`, ".md");
const BLOCKS = PAGES.flatMap((page) =>
  blocksOf(readText(page))
    .filter(({ language }) => language === "bash" || language === "sh")
    .map(({ text }, index) => ({ page, index, text })),
);

test("there are commands, and every block of a page says what language it is", () => {
  expect(BLOCKS.length).toBeGreaterThan(30);
  const bare = PAGES.filter((page) => blocksOf(readText(page)).some(({ language }) => language === ""));
  expect(bare).toEqual([]);
});

describe.each(BLOCKS)("block $index of $page", ({ text }) => {
  test("can be read by a shell", () => {
    execFileSync("bash", ["-n"], { input: text });
  });

  test("has no hole to be filled in but a secret", () => {
    expect(text.replaceAll(/[=:]…/g, "")).not.toMatch(/<[a-z-]+>|…/);
  });
});
