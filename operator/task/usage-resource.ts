// How a provider's usage export is read: its bill, line by line.
import { z } from "zod";
import { expression } from "./fields.ts";
import { obeying } from "./rule.ts";

const Path = obeying(expression(), [
  {
    cel: "self.contains('usage.from')",
    holds: (path) => path.includes("usage.from"),
    message:
      "cannot read the bill by spans of time: the path does not say from when; use usage.from in it, or import the bill by hand",
  },
]);

export const UsageExport = z.strictObject({
  path: Path.describe(
    "CEL over usage (from, to; times): the path below baseURL of the lines that were billed from `from` on and before `to`, as JSON.",
  ),
  items: expression().describe("CEL over response: the list of lines."),
  jobID: expression().describe("CEL over item: the id of the job that the line is for."),
  amount: expression().describe("CEL over item: credits billed, as a decimal string, not below 0."),
  billedAt: expression().describe(
    "CEL over item: when it was billed, a time or its ISO 8601 text with its zone; the same whenever the line is read again.",
  ),
  ref: expression().optional().describe('CEL over item: the attempt.id, where the line shows it, else "" or null.'),
  next: expression()
    .optional()
    .describe('CEL over response: the path of the next page, or "" after the last. Absent: one page is all.'),
  maxPages: z
    .int()
    .min(1)
    .max(100)
    .default(20)
    .describe("Of one span of time. One with more is read in halves, down to a minute."),
  everySeconds: z.int().min(60).max(86_400).default(3600).describe("How often it is read."),
  overlapSeconds: z
    .int()
    .min(0)
    .max(2_592_000)
    .default(172_800)
    .describe("How late the provider may still add a line: so far back it is read again, each time."),
});
