// A provider as unkind as the worst one: every POST makes and bills a new job, whatever key it carries; answers get lost.
import type { ProviderClient } from "../../operator/reconcile/ports.ts";
import type { ProviderJobId } from "../../operator/task/brand.ts";
import { micro } from "../../operator/task/credits.ts";
import type { QueryOutcome, SubmitOutcome } from "../../operator/task/outcome.ts";

/** How the n-th submit goes. "lost-after": a job is made and its answer lost. "lost-before": neither. */
export type SubmitFate =
  "answered" | "lost-after" | "lost-before" | "throttled" | "not-sent" | "refused" | "locked-out";

export interface ProviderScript {
  /** One per submit; later ones are answered. */
  readonly submits?: readonly SubmitFate[];
  /** Queries that find the job running before it ends. */
  readonly runs?: number;
  readonly end?: "succeeded" | "failed" | "empty" | "stuck";
  /** How long a job hides from look-ups, in ms after its creation. */
  readonly lookUpLagMs?: number;
  /** Whether a replay under a used key is refused as that. */
  readonly rejectsReuse?: boolean;
  /** Queries that fail before one is answered. */
  readonly queryErrors?: number;
  /** Whether a query shows our own id for the job. */
  readonly showsRef?: boolean;
  /** Whether its list shows no ids of ours: all jobs of the same wish since the submit look like it. */
  readonly listsByLikeness?: boolean;
}

export interface FakeJob {
  readonly id: ProviderJobId;
  readonly ref: string;
  readonly createdAt: Date;
  queries: number;
  cancelled: boolean;
}

export interface FakeProvider extends ProviderClient {
  readonly jobs: readonly FakeJob[];
  /** POSTs that reached it, lost ones included. */
  readonly submits: () => number;
}

export function makeFakeProvider(now: () => Date, script: ProviderScript): FakeProvider {
  const jobs: FakeJob[] = [];
  let submits = 0;
  let errors = script.queryErrors ?? 0;

  const submit = (ref: string): SubmitOutcome => {
    const fate = script.submits?.[submits] ?? "answered";
    submits += 1;
    if (fate === "throttled") return { outcome: "throttled", code: "status-429", retryAfterMs: 2000 };
    if (fate === "not-sent") return { outcome: "not-sent", code: "refused" };
    if (fate === "refused") return { outcome: "refused", code: "status-422", content: false };
    if (fate === "locked-out") return { outcome: "locked-out", code: "status-401" };
    if (fate === "lost-before") return { outcome: "ambiguous", code: "reset" };
    const id = `job-${String(jobs.length + 1)}` as ProviderJobId;
    jobs.push({ id, ref, createdAt: now(), queries: 0, cancelled: false });
    return fate === "lost-after" ? { outcome: "ambiguous", code: "reset" } : { outcome: "accepted", jobId: id };
  };

  return {
    jobs,
    submits: () => submits,
    submit: ({ attemptId }) => Promise.resolve(submit(attemptId)),
    replay: ({ attemptId }) => {
      const isUsed = script.rejectsReuse === true && jobs.some(({ ref }) => ref === attemptId);
      return Promise.resolve(isUsed ? { outcome: "reused", jobId: undefined } : submit(attemptId));
    },
    search: (method, attempt) => {
      const visible = shownIn(jobs, { method, ...attempt, at: now() }, script);
      const [first] = visible;
      if (!first) return Promise.resolve({ outcome: "missed" });
      return Promise.resolve(
        visible.length > 1 ? { outcome: "several", count: visible.length } : { outcome: "found", jobId: first.id },
      );
    },
    query: ({ jobId }) => {
      if (errors > 0) {
        errors -= 1;
        return Promise.resolve({ outcome: "unanswered", code: "status-502", retryAfterMs: undefined });
      }
      const job = jobs.find(({ id }) => id === jobId);
      return Promise.resolve(job ? queried(job, script) : { outcome: "missing", documented: true });
    },
    cancel: ({ jobId }) => {
      const job = jobs.find(({ id }) => id === jobId);
      if (job) job.cancelled = true;
      return Promise.resolve({ outcome: "asked" });
    },
  };
}

interface Sought {
  readonly id: string;
  readonly sentAt: Date;
  readonly method: string;
  readonly at: Date;
}

function shownIn(
  jobs: readonly FakeJob[],
  { at, id, method, sentAt }: Sought,
  { listsByLikeness = false, lookUpLagMs = 0 }: ProviderScript,
): readonly FakeJob[] {
  const old = jobs.filter(({ createdAt }) => at.getTime() - createdAt.getTime() >= lookUpLagMs);
  return method === "list" && listsByLikeness
    ? old.filter(({ createdAt }) => createdAt >= sentAt)
    : old.filter(({ ref }) => ref === id);
}

function queried(job: FakeJob, script: ProviderScript): QueryOutcome {
  job.queries += 1;
  const end = script.end ?? "succeeded";
  const seen = {
    outcome: "job",
    progress: undefined,
    outputs: [],
    cost: micro(60_000n),
    ref: script.showsRef === true ? job.ref : undefined,
    failure: undefined,
  } as const;
  if (job.cancelled) return { ...seen, state: "cancelled", cost: micro(0n) };
  if (end === "stuck" || job.queries <= (script.runs ?? 1)) return { ...seen, state: "running" };
  if (end === "failed") return { ...seen, state: "failed", cost: micro(0n), failure: "oom" };
  const outputs =
    end === "empty" ? [] : [{ url: "https://cdn.acme.example/o", name: undefined, mediaType: "image/png", bytes: 9 }];
  return { ...seen, state: "succeeded", outputs };
}
