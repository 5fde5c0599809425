// A job as the public API shows it.
import type { Job } from "../record/jobs.ts";
import type { ProviderRecord } from "../record/record.ts";
import type { Contents } from "../outputs/contents.ts";
import { linkTo } from "../outputs/links.ts";
import { declaredBytes, outputsOf } from "../outputs/output.ts";
import { hasOutputs, progressAt, stateAt } from "./state.ts";

export interface OutputView {
  readonly name: string;
  readonly url: string;
  readonly media_type: string;
  readonly bytes?: number;
}

/** `cost` is what was billed so far, in decimal credits. */
export interface JobView {
  readonly id: string;
  readonly ref: string | null;
  readonly model: string;
  readonly state: string;
  readonly progress: number;
  readonly outputs: readonly OutputView[];
  readonly cost?: string;
  readonly cost_estimate: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly created_at: string;
}

export interface Viewer {
  readonly record: ProviderRecord;
  readonly contents: Contents;
}

export interface Viewing {
  readonly origin: string;
  readonly nowMs: number;
}

/** The job at this moment; what was due has been settled. */
export function viewOf(provider: Viewer, job: Job, viewing: Viewing): JobView {
  return {
    id: job.id,
    ref: job.ref,
    model: job.model,
    state: stateAt(job, viewing.nowMs),
    progress: progressAt(job, viewing.nowMs),
    outputs: hasOutputs(job, viewing.nowMs) ? outputViews(provider, job, viewing) : [],
    ...costOf(provider.record, job),
    cost_estimate: job.price,
    error: errorOf(job),
    created_at: new Date(job.createdMs).toISOString(),
  };
}

function outputViews({ record, contents }: Viewer, job: Job, viewing: Viewing): readonly OutputView[] {
  return outputsOf(job).map((output) => ({
    name: output.name,
    url: linkTo(record, job, output, viewing),
    media_type: output.mediaType,
    ...(output.wish.declared === "missing" ? {} : { bytes: declaredBytes(contents.of(job.id, output), output) }),
  }));
}

function costOf(record: ProviderRecord, job: Job): { readonly cost?: string } {
  switch (job.simulate.bill.shown) {
    case "missing":
      return {};
    case "malformed":
      return { cost: "ten cents" };
    case "billed":
    case undefined:
      return { cost: record.bills.amountOf(job.id) ?? "0" };
  }
}

function errorOf(job: Job): JobView["error"] {
  if (job.finalState !== "failed") return null;
  if (job.simulate.end === "moderated")
    return { code: "content_policy", message: "the output violates the content policy" };
  return { code: "generation_failed", message: "the model could not finish" };
}
