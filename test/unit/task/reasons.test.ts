import { expect, test } from "@jest/globals";
import { REASONS } from "../../../operator/task/reasons.ts";

test.each(Object.entries(REASONS))("%s has a sentence of its own, which fits a status", (reason, sentence) => {
  expect(sentence).toMatch(/^[a-z].{12,}[^.]$/);
  expect(sentence.length).toBeLessThan(256);
  expect(Object.values(REASONS).filter((other) => other === sentence)).toHaveLength(1);
  expect(reason).toMatch(/^[A-Z][A-Za-z]+$/);
});
