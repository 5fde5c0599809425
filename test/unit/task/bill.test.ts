import { expect, test } from "@jest/globals";
import { numbered } from "../../../operator/task/bill.ts";

test("lines of one job and one moment are told apart by their order, and no others are", () => {
  const [noon, later] = [new Date("2026-06-01T12:00:00Z"), new Date("2026-06-01T12:00:01Z")];
  const line = (jobId: string, billedAt: Date) => ({ jobId, billedAt, ref: undefined, amount: 5n });
  const lines = [line("a", noon), line("b", noon), line("a", noon), line("a", later), line("a", noon)];
  expect(numbered(lines)).toEqual([0, 0, 1, 0, 2].map((nth, index) => ({ ...lines[index], nth })));
});
