import { describe, expect, test } from "@jest/globals";
import { REPORTS } from "../../../operator/postgres/reports.ts";
import type { ReportCount } from "../../../operator/postgres/reports.ts";
import { figuresOf, problemsOf, unaccounted } from "../../demo/figures.ts";
import type { Evidence, Figures } from "../../demo/figures.ts";
import type { BillRecord } from "../../provider/record/bills.ts";
import { NOON, attemptLine, jobRecord, seenTask } from "./seen-task.ts";

const reports = (rows: Readonly<Record<string, number>> = {}): readonly ReportCount[] =>
  REPORTS.map((report) => ({ report, rows: rows[report] ?? 0 }));

const bill = (jobId: string, reference: string): BillRecord => ({
  ...{ jobId, reference, ref: null, model: "sim-image", amount: "0.01", at: NOON },
});

const evidence = (overrides: Partial<Evidence> = {}): Evidence => ({
  tasks: [],
  record: { jobs: [], billed: [] },
  attempts: [],
  reports: reports(),
  mayPayTwice: new Set(),
  seconds: 1,
  ...overrides,
});

describe("the figures", () => {
  test("phases are counted, and what is in no counted phase counts as a task", () => {
    const phases = ["Succeeded", "Succeeded", "Failed", "NeedsReview", "Cancelled", "Rejected", undefined] as const;
    const tasks = phases.map((phase, index) => seenTask(`task-${index}`, phase && { phase }));
    const figures = figuresOf(evidence({ tasks, seconds: 23.6 }));
    expect(figures).toMatchObject({ tasks: 7, succeeded: 2, failed: 1, needsReview: 1, seconds: 24 });
  });

  test("jobs are counted as the provider accepted them", () => {
    const jobs = [jobRecord(), jobRecord({ id: "job-2" })];
    expect(figuresOf(evidence({ record: { jobs, billed: [] } })).jobsAccepted).toBe(2);
  });

  const BILLS = [
    { when: "one job each", billed: [bill("a", "studio/one"), bill("b", "studio/two")], twice: 0 },
    { when: "two jobs of one task", billed: [bill("a", "studio/one"), bill("b", "studio/one")], twice: 1 },
    { when: "three jobs of one task", billed: ["a", "b", "c"].map((job) => bill(job, "studio/one")), twice: 1 },
    {
      when: "one job that was billed in two parts",
      billed: [bill("a", "studio/one"), bill("a", "studio/one")],
      twice: 0,
    },
    { when: "a task that may pay twice", billed: [bill("a", "studio/risky"), bill("b", "studio/risky")], twice: 0 },
  ];
  test.each(BILLS)("tasks paid twice: $when", ({ billed, twice }) => {
    const mayPayTwice = new Set(["studio/risky"]);
    expect(figuresOf(evidence({ record: { jobs: [], billed }, mayPayTwice })).jobsPaidTwice).toBe(twice);
  });

  test("the books are read from their reports", () => {
    const books = reports({ unbalanced_transactions: 2, open_holds_of_ended_tasks: 3 });
    expect(figuresOf(evidence({ reports: books }))).toMatchObject({ ledgerUnbalanced: 2, openHolds: 3 });
  });

  test("a missing report is a fault, not a zero", () => {
    expect(() => figuresOf(evidence({ reports: [] }))).toThrow("there is no report unbalanced_transactions");
  });
});

describe("a job is accounted for", () => {
  const JOB = jobRecord({ id: "job-1", ref: "attempt-1" });
  const CASES = [
    { when: "by the attempt that was told its id", attempt: attemptLine(), left: [] },
    { when: "by none", attempt: attemptLine({ jobId: "job-9", attemptId: "attempt-9" }), left: ["job-1"] },
    {
      when: "by the unknown attempt of a task in review",
      attempt: attemptLine({ jobId: undefined, state: "sent", taskParked: true }),
      left: [],
    },
    {
      when: "not by an unknown attempt that nobody was asked about",
      attempt: attemptLine({ jobId: undefined, state: "sent" }),
      left: ["job-1"],
    },
    {
      when: "not by an attempt that ended as never created",
      attempt: attemptLine({ jobId: undefined, reason: "NotCreated", taskParked: true }),
      left: ["job-1"],
    },
    {
      when: "not by the first job of an attempt that has two",
      attempt: attemptLine({ jobId: "job-0", taskParked: true }),
      left: ["job-1"],
    },
  ];
  test.each(CASES)("$when", ({ attempt, left }) => {
    expect(unaccounted([JOB], [attempt])).toEqual(left);
  });
});

describe("problems", () => {
  const good: Figures = figuresOf(evidence());

  test("none while all is well", () => {
    expect(problemsOf(good, reports())).toEqual([]);
  });

  const FIGURES = ["jobsPaidTwice", "jobsUnaccounted", "ledgerUnbalanced", "openHolds"] as const;
  test.each(FIGURES)("%s must be zero", (figure) => {
    expect(problemsOf({ ...good, [figure]: 3 }, reports())).toEqual([expect.stringMatching(/^3 /)]);
  });

  test.each(REPORTS.filter((report) => report !== "unbalanced_transactions" && report !== "open_holds_of_ended_tasks"))(
    "the report %s must be empty",
    (report) => {
      expect(problemsOf(good, reports({ [report]: 1 }))).toEqual([expect.stringContaining(report)]);
    },
  );
});
