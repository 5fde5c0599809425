// The figures by which the demo judges itself, from the objects, the provider's own record and the books. Pure.
import type { AttemptLine, ReportCount, ReportName } from "../../operator/postgres/reports.ts";
import type { RecordContents } from "../provider/admin/contents.ts";
import type { SeenTask } from "../operator/watcher.ts";

export interface Evidence {
  readonly tasks: readonly SeenTask[];
  /** The provider's own. */
  readonly record: Pick<RecordContents, "jobs" | "billed">;
  /** Of all providers that stand for the one in the record. */
  readonly attempts: readonly AttemptLine[];
  readonly reports: readonly ReportCount[];
  /** `namespace/name` of tasks that were allowed to pay twice. */
  readonly mayPayTwice: ReadonlySet<string>;
  readonly seconds: number;
}

export interface Figures {
  readonly tasks: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly needsReview: number;
  readonly jobsAccepted: number;
  /** Tasks with more than one job billed. */
  readonly jobsPaidTwice: number;
  /** Jobs that neither an accepted nor a parked unknown attempt stands for. */
  readonly jobsUnaccounted: number;
  readonly ledgerUnbalanced: number;
  /** Holds of tasks in a final phase. */
  readonly openHolds: number;
  readonly seconds: number;
}

export function figuresOf({ attempts, mayPayTwice, record, reports, seconds, tasks }: Evidence): Figures {
  const inPhase = (phase: string): number => tasks.filter(({ status }) => status?.phase === phase).length;
  return {
    tasks: tasks.length,
    succeeded: inPhase("Succeeded"),
    failed: inPhase("Failed"),
    needsReview: inPhase("NeedsReview"),
    jobsAccepted: record.jobs.length,
    jobsPaidTwice: paidTwice(record.billed).filter((reference) => !mayPayTwice.has(reference)).length,
    jobsUnaccounted: unaccounted(record.jobs, attempts).length,
    ledgerUnbalanced: rowsOf(reports, "unbalanced_transactions"),
    openHolds: rowsOf(reports, "open_holds_of_ended_tasks"),
    seconds: Math.round(seconds),
  };
}

function paidTwice(bills: Evidence["record"]["billed"]): readonly string[] {
  const jobs = new Map<string, Set<string>>();
  for (const { jobId, reference } of bills) jobs.set(reference, (jobs.get(reference) ?? new Set()).add(jobId));
  return [...jobs].flatMap(([reference, ids]) => (ids.size > 1 ? [reference] : []));
}

/** The ids of jobs that nothing of ours stands for. */
export function unaccounted(
  jobs: readonly { readonly id: string; readonly ref: string | null }[],
  attempts: readonly AttemptLine[],
): readonly string[] {
  const accepted = new Set<string>(attempts.flatMap(({ jobId }) => jobId ?? []));
  const parked = attempts.filter(
    ({ jobId, state, taskParked }) => jobId === undefined && state === "sent" && taskParked,
  );
  const inDoubt = new Set<string>(parked.map(({ attemptId }) => attemptId));
  return jobs.filter(({ id, ref }) => !accepted.has(id) && !(ref !== null && inDoubt.has(ref))).map(({ id }) => id);
}

function rowsOf(reports: readonly ReportCount[], name: ReportName): number {
  const report = reports.find(({ report: one }) => one === name);
  if (!report) throw new Error(`cannot judge the books: there is no report ${name}`);
  return report.rows;
}

/** One sentence for each figure that must be zero and is not, and for each report on the books that is not empty. */
export function problemsOf(figures: Figures, reports: readonly ReportCount[]): readonly string[] {
  const mustBeZero = [
    { count: figures.jobsPaidTwice, problem: "tasks were paid for twice" },
    { count: figures.jobsUnaccounted, problem: "jobs at the provider are not accounted for" },
    { count: figures.ledgerUnbalanced, problem: "transactions of the ledger do not sum to zero" },
    { count: figures.openHolds, problem: "holds are open although their tasks have ended" },
  ];
  const counted = new Set<ReportName>(["unbalanced_transactions", "open_holds_of_ended_tasks"]);
  const broken = reports.filter(({ report, rows }) => rows > 0 && !counted.has(report));
  return [
    ...mustBeZero.flatMap(({ count, problem }) => (count > 0 ? [`${count} ${problem}`] : [])),
    ...broken.map(({ report, rows }) => `the report ${report} has ${rows} rows and must be empty`),
  ];
}
