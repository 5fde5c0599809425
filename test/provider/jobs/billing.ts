// When a job is billed, and how much: by default its price at its completion, and nothing if it failed or was cancelled.
import type { FinalState, Job } from "../record/jobs.ts";
import type { ProviderRecord } from "../record/record.ts";
import type { Config } from "../schema/config.ts";
import type { Billing } from "../schema/simulate.ts";

type Rules = { readonly [K in keyof Billing]-?: NonNullable<Billing[K]> };

const DEFAULT_RULES: Rules = { when: "completion", failed: false, cancelled: false };

type Priced = Pick<Job, "id" | "reference" | "price" | "simulate">;

export function billAtAcceptance(record: ProviderRecord, job: Priced, atMs: number): void {
  if (rulesFor(record.settings.config(), job).when === "acceptance") bill(record, job, atMs);
}

export function billAtEnd(record: ProviderRecord, job: Priced, state: FinalState, atMs: number): void {
  const rules = rulesFor(record.settings.config(), job);
  if (rules.when !== "completion") return;
  if (state === "failed" && !rules.failed) return;
  if (state === "cancelled" && !rules.cancelled) return;
  bill(record, job, atMs);
}

function bill(record: ProviderRecord, job: Priced, atMs: number): void {
  const amount = job.simulate.bill.amount ?? job.price;
  if (!record.bills.add(job.id, amount, atMs)) return;
  record.events.append("job.billed", { jobId: job.id, reference: job.reference, amount });
}

function rulesFor(config: Config, job: Priced): Rules {
  const asked = job.simulate.bill;
  return {
    when: asked.when ?? config.bill.when ?? DEFAULT_RULES.when,
    failed: asked.failed ?? config.bill.failed ?? DEFAULT_RULES.failed,
    cancelled: asked.cancelled ?? config.bill.cancelled ?? DEFAULT_RULES.cancelled,
  };
}

/** Decimal credits for one job of this model. */
export function priceOf(config: Config, model: string): string {
  return config.prices[model] ?? config.prices[kindOf(model)] ?? "0.01";
}

/** What a model makes, by the word in its name. */
export function kindOf(model: string): "image" | "audio" | "video" {
  if (/video/i.test(model)) return "video";
  return /audio|music|voice/i.test(model) ? "audio" : "image";
}
