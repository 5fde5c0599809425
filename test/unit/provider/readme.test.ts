// The description of the provider names every fault and every setting there is.
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as faults from "../../provider/schema/faultNames.ts";
import { JobEnd, Simulate } from "../../provider/schema/simulate.ts";

const README = readFileSync(join(import.meta.dirname, "../../provider/README.md"), "utf8");

const WORDS = [
  ...Object.values(faults).flatMap(({ options }) => options),
  ...JobEnd.options,
  ...Object.keys(Simulate.shape),
];

test.each([...new Set(WORDS)])("the word %s is described", (word) => {
  expect(README).toMatch(new RegExp(`(?<![\\w-])${word}(?![\\w-])`));
});
