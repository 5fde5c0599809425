// What a task waits for, and until when: from the record where there is one, else from its status. Pure.
import { isFinal, type Phase } from "../../operator/task/phase.ts";
import type { Reason } from "../../operator/task/reasons.ts";
import type { AttemptEvidence } from "./evidence.ts";
import { isAbsent, type Facts } from "./facts.ts";

export interface Wait {
  readonly what: string;
  /** Undefined: until something else happens. */
  readonly until: Date | undefined;
}

type Open = Exclude<Phase, "Succeeded" | "Failed" | "Cancelled" | "Rejected">;

/** Undefined: it waits for nothing any more. */
export function waitOf(facts: Facts): Wait | undefined {
  const { status } = facts.task;
  const { phase = "Pending" } = status;
  if (isFinal(phase)) return undefined;
  const record = isAbsent(facts.evidence) ? undefined : facts.evidence;
  const attempt = record?.attempts.at(-1);
  const { next, what } = WAITS[phase as Open];
  const until = untilWhen(record?.now, attempt && next(attempt), status.nextActionTime);
  return { what: what(facts, attempt), until: until === undefined ? undefined : new Date(until) };
}

/** What the record names may be over, while it is something else that is waited for, such as a budget's next day. */
function untilWhen(now: string | undefined, known: string | undefined, told: string | undefined): string | undefined {
  const isOver = known !== undefined && now !== undefined && Date.parse(known) <= Date.parse(now);
  return isOver ? (told ?? known) : (known ?? told);
}

/** When the task ends by itself, whatever it waits for. */
export function deadlineOf({ task: { metadata, spec, status } }: Facts): Date | undefined {
  const from = status.startTime ?? metadata.creationTimestamp;
  const seconds = spec.activeDeadlineSeconds;
  if (seconds === undefined || from === undefined || isFinal(status.phase ?? "Pending")) return undefined;
  return new Date(Date.parse(from) + seconds * 1000);
}

type What = (facts: Facts, attempt: AttemptEvidence | undefined) => string;

interface Waiting {
  readonly what: What;
  readonly next: (attempt: AttemptEvidence) => string | undefined;
}

const WAITS: Readonly<Record<Open, Waiting>> = {
  Pending: { what: pending, next: ({ retryAt }) => retryAt },
  Submitting: { what: () => "the provider's answer to the submit", next: ({ deadline }) => deadline },
  SubmitUnknown: { what: () => "the next look for the job at the provider", next: ({ searchNextAt }) => searchNextAt },
  Polling: { what: polling, next: ({ nextPollAt }) => nextPollAt },
  Fetching: { what: () => "the outputs to be copied and verified", next: ({ nextFetchAt }) => nextFetchAt },
  NeedsReview: { what: () => "a person's decision", next: ({ searchNextAt }) => searchNextAt },
};

function polling(_: Facts, attempt: AttemptEvidence | undefined): string {
  return attempt?.cancelAskedAt === undefined
    ? "the job to end; the provider is asked now and then"
    : "the provider to confirm the cancellation";
}

const BLOCKED: Readonly<Record<string, string>> = {
  provider: "all places in flight of the provider are taken",
  model: "all places in flight of the model are taken",
  namespace: "all places in flight of the namespace are taken",
  rate: "the provider's rate of submits is used up",
};

const PENDING: Readonly<Partial<Record<Reason, What>>> = {
  Suspended: () => "spec.suspend to be false",
  InsufficientCredits: () => "credits in this namespace",
  BudgetExhausted: () => "the namespace's budget to begin anew, or to be raised",
  QuotaExhausted: ({ task: { status } }, attempt) => {
    const place = status.queuePosition === undefined ? "" : `, place ${status.queuePosition} in line`;
    const why = BLOCKED[attempt?.blockedBy ?? ""];
    return `the provider's quota${place}${why === undefined ? "" : `: ${why}`}`;
  },
  ProviderNotReady: () => "the provider to be ready",
  NamespaceNotAllowed: () => "the provider to let this namespace in",
  InputUnavailable: () => "a Secret of spec.inputFrom",
  RetryLater: () => "the next attempt",
};

function pending(facts: Facts, attempt: AttemptEvidence | undefined): string {
  const what = PENDING[facts.task.status.reason as Reason];
  return what?.(facts, attempt) ?? "the operator to take the next step";
}
