// The provider's record beside ours. Pure.
import type { AttemptLine } from "../../operator/postgres/reports.ts";
import { ZERO, formatCredits, micro, parseCredits } from "../../operator/task/credits.ts";
import type { MicroCredits } from "../../operator/task/brand.ts";
import type { RecordContents } from "../provider/admin/contents.ts";
import type { Account } from "./statement.ts";
import type { Figures } from "./figures.ts";
import { gridOf } from "./grid.ts";

export interface Sides {
  readonly record: Pick<RecordContents, "jobs" | "requests" | "billed">;
  readonly attempts: readonly AttemptLine[];
  readonly accounts: readonly Account[];
  readonly figures: Figures;
}

export function comparisonLines({ accounts, attempts, figures, record }: Sides): readonly string[] {
  const submits = record.requests.filter(({ operation }) => operation === "submit").length;
  const inReview = attempts.filter(({ state, taskParked }) => state === "sent" && taskParked);
  const accepted = attempts.filter(({ jobId }) => jobId !== undefined).length;
  const settled = sumOf(accounts.map((account) => account.settled));
  const billed = sumOf(record.billed.map(({ amount }) => parseCredits(amount) ?? ZERO));
  const grid = gridOf(
    [
      ["", "THE PROVIDER'S RECORD", "OUR BOOKS"],
      ["submits", `${submits} received`, `${attempts.filter(({ sent }) => sent).length} sent`],
      [
        "jobs",
        `${record.jobs.length} accepted`,
        `${accepted} accepted${inReview.length > 0 ? `, ${inReview.length} in review` : ""}`,
      ],
      ["jobs paid for", `${record.billed.length} billed`, `${paid(attempts)} settled`],
      ["credits", `${formatCredits(billed)} billed`, `${formatCredits(settled)} settled`],
      ["paid twice", String(figures.jobsPaidTwice), ""],
      ["unaccounted for", String(figures.jobsUnaccounted), ""],
    ],
    { rightFrom: Infinity },
  );
  return [...grid, ...explained(record, inReview)];
}

function paid(attempts: readonly AttemptLine[]): number {
  return attempts.filter(({ charge }) => charge !== undefined && charge > ZERO).length;
}

function sumOf(amounts: readonly MicroCredits[]): MicroCredits {
  return micro(amounts.reduce<bigint>((sum, amount) => sum + amount, ZERO));
}

/** What is billed there and not settled here, and why that is right. */
function explained(record: Sides["record"], inReview: readonly AttemptLine[]): readonly string[] {
  return inReview.flatMap(({ attemptId, taskKey }) => {
    const job = record.jobs.find(({ ref }) => ref === attemptId);
    if (job?.billed == null) return [];
    return [
      `${job.billed} of it was billed for the task in review (${taskKey}): here it is held until a person decides`,
    ];
  });
}
