// The runtime's own page: its files, and the tests that hold its faults.
import { basename, join } from "node:path";
import { expect, test } from "@jest/globals";
import { filesBelow, listed, readText, ROOT, rowsWith } from "./markdown.ts";

const PAGE = readText("operator/runtime/README.md");

test("operator/runtime/README.md has a place for every file, and for no other", () => {
  const told = rowsWith(PAGE, ["file", "what"]).flatMap(({ file }) => listed(file));
  const files = filesBelow(join(ROOT, "operator", "runtime"), ".ts").map((path) => basename(path));
  expect([...told].sort()).toEqual(files.sort());
});

test("the runtime imports nothing of the product", () => {
  const outside = filesBelow(join(ROOT, "operator", "runtime"), ".ts").filter((path) =>
    readText(path).includes('from "../'),
  );
  expect(outside).toEqual([]);
});
