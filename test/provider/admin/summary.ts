// The record in a few numbers: above all, whether anything was accepted or paid twice.
import { amountOf, microOf } from "../jobs/money.ts";
import type { Job } from "../record/jobs.ts";
import type { ProviderRecord } from "../record/record.ts";

export interface Summary {
  readonly submitsReceived: number;
  readonly jobsAccepted: number;
  readonly jobsBilled: number;
  /** Decimal credits. */
  readonly billedTotal: string;
  readonly jobsInState: Readonly<Record<string, number>>;
  readonly referencesAcceptedTwice: readonly string[];
  readonly referencesPaidTwice: readonly string[];
  readonly refsAcceptedTwice: readonly string[];
  /** The most jobs that were ever unfinished at once. */
  readonly maxInFlight: number;
  readonly faultsMet: Readonly<Record<string, number>>;
}

export function summaryOf(record: ProviderRecord): Summary {
  const jobs = record.jobs.all({});
  const bills = record.bills.list({});
  const total = bills.reduce((sum, { amount }) => sum + microOf(amount), 0n);

  return {
    submitsReceived: record.requests.countOf("submit") + record.requests.countOf("redirected-submit"),
    jobsAccepted: jobs.length,
    jobsBilled: bills.length,
    billedTotal: amountOf(total),
    jobsInState: countsOf(jobs.map(({ finalState }) => finalState ?? "open")),
    referencesAcceptedTwice: repeated(jobs.map(({ reference }) => reference)),
    referencesPaidTwice: repeated(bills.map(({ reference }) => reference)),
    refsAcceptedTwice: repeated(jobs.flatMap(({ ref }) => ref ?? [])),
    maxInFlight: maxInFlight(jobs),
    faultsMet: record.requests.faultsMet(),
  };
}

function countsOf(words: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function repeated(words: readonly string[]): readonly string[] {
  return Object.entries(countsOf(words)).flatMap(([word, count]) => (count > 1 ? [word] : []));
}

function maxInFlight(jobs: readonly Job[]): number {
  const changes = jobs.flatMap(({ createdMs, finishedMs }) => [
    { atMs: createdMs, by: 1 },
    ...(finishedMs === null ? [] : [{ atMs: finishedMs, by: -1 }]),
  ]);
  changes.sort((a, b) => a.atMs - b.atMs || a.by - b.by);

  let inFlight = 0;
  let most = 0;
  for (const { by } of changes) {
    inFlight += by;
    most = Math.max(most, inFlight);
  }
  return most;
}
