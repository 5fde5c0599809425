// The search that goes on after an attempt was given up: what to do at one visit, and what an answer makes of it. Pure, by the
// same standard of evidence as the live search. It never submits, never replays, and changes nothing of what has ended.
import type { AttemptIn } from "./attempt.ts";
import type { MicroCredits, ProviderJobId } from "./brand.ts";
import { isTurnOf } from "./claim.ts";
import { ZERO } from "./credits.ts";
import { after } from "./deadline.ts";
import type { Output, QueryOutcome, SearchOutcome } from "./outcome.ts";
import type { ProviderSettings } from "./provider.ts";
import type { LateVerdict } from "./late-verdict.ts";
import { LATE_HORIZON_MS, PARKED_LOOK_MS, lateLookMs, lateWatchMs } from "./schedule.ts";
import { unreachable } from "./unreachable.ts";

interface Given {
  /** The attempt that ended without its job. */
  readonly attempt: Pick<AttemptIn<"sent">, "id" | "number" | "provider" | "model" | "held" | "sentAt">;
  readonly begunAt: Date;
  /** Visits in this state. */
  readonly looks: number;
}

export type LateSearch =
  | (Given & {
      readonly state: "searching";
      /** The job that a webhook names, and how often the provider was asked for it without a clear answer. */
      readonly claim: { readonly jobId: ProviderJobId; readonly looks: number } | undefined;
    })
  | (Given & {
      readonly state: "found";
      readonly jobId: ProviderJobId;
      readonly foundAt: Date;
      readonly cancelAskedAt: Date | undefined;
      /** "No such job", in a row. */
      readonly missing: number;
    });

export type LateIn<S extends LateSearch["state"]> = Extract<LateSearch, { readonly state: S }>;

export type FoundBy = "look-up" | "list" | "webhook";

export type LateAction =
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "look"; readonly late: LateIn<"searching">; readonly method: "look-up" | "list" }
  | { readonly type: "confirm"; readonly late: LateIn<"searching">; readonly jobId: ProviderJobId }
  | { readonly type: "query"; readonly late: LateIn<"found">; readonly settings: ProviderSettings }
  | { readonly type: "close"; readonly close: LateClose };

export interface LateClose {
  readonly verdict: LateVerdict;
  /** What the job cost the platform. */
  readonly charge: MicroCredits;
}

/** What an answer makes of a search. */
export type LookMark =
  | { readonly type: "looked"; readonly nextAfterMs: number }
  | { readonly type: "claim"; readonly jobId: ProviderJobId; readonly refused: boolean; readonly nextAfterMs: number }
  | { readonly type: "found"; readonly jobId: ProviderJobId; readonly by: FoundBy; readonly nextAfterMs: number };

/** What an answer makes of a job that was found. */
export type WatchMark =
  /** It is alive; `cancel`: ask for its end now. */
  | { readonly type: "alive"; readonly cancel: boolean; readonly nextAfterMs: number }
  | { readonly type: "unclear"; readonly missing: number; readonly nextAfterMs: number }
  /** It is done, and its outputs are wanted; `close` is how the search ends then, with them or without. */
  | {
      readonly type: "keep";
      readonly close: LateClose;
      readonly outputs: readonly Output[];
      readonly mayRetry: boolean;
      readonly nextAfterMs: number;
    }
  | { readonly type: "close"; readonly close: LateClose };

/** The one thing to do at this visit. */
export function decideLate(late: LateSearch, settings: ProviderSettings | undefined, now: Date): LateAction {
  const since = late.state === "found" ? late.foundAt : late.begunAt;
  if (now.getTime() >= after(since, LATE_HORIZON_MS)) return { type: "close", close: outOfTime(late) };
  if (!settings) return { type: "wait", ms: PARKED_LOOK_MS };
  return late.state === "found" ? { type: "query", late, settings } : lookFor(late, settings);
}

function lookFor(late: LateIn<"searching">, { capabilities }: ProviderSettings): LateAction {
  const method = methodOf(capabilities);
  const { claim } = late;
  if (claim && capabilities.webhookAdoption && (!method || isTurnOf(claim, late.looks))) {
    return { type: "confirm", late, jobId: claim.jobId };
  }
  return method ? { type: "look", late, method } : { type: "wait", ms: lateLookMs(Infinity, undefined, 0.5) };
}

/** A likeness adopts nothing, and there is nobody left to ask about one. */
function methodOf({ correlate, lookupByClientID }: ProviderSettings["capabilities"]): "look-up" | "list" | undefined {
  if (lookupByClientID) return "look-up";
  return correlate === "Exact" ? "list" : undefined;
}

/** A job that is never seen to end is taken to have cost what was expected: it will be billed. */
function outOfTime({ attempt, state }: LateSearch): LateClose {
  return state === "found" ? { verdict: "unended", charge: attempt.held } : { verdict: "none", charge: ZERO };
}

export function judgeLateLook(
  late: LateIn<"searching">,
  method: "look-up" | "list",
  outcome: SearchOutcome,
  random: number,
): LookMark {
  switch (outcome.outcome) {
    case "found":
      return { type: "found", jobId: outcome.jobId, by: method, nextAfterMs: 0 };
    case "missed":
    case "several":
      return { type: "looked", nextAfterMs: lateLookMs(late.looks + 1, undefined, random) };
    case "unanswered":
      return { type: "looked", nextAfterMs: lateLookMs(late.looks + 1, outcome.retryAfterMs, random) };
    default:
      return unreachable(outcome);
  }
}

/** How often a named job may be unknown to the provider before the claim is refused: it may be shown a moment later. */
const CLAIM_LOOKS = 3;

export function judgeLateClaim(late: LateIn<"searching">, outcome: QueryOutcome, random: number): LookMark {
  const { claim } = late;
  if (!claim) throw new Error("cannot judge a claim: nobody has named a job");
  const again = (hintMs?: number): LookMark => ({
    ...{ type: "claim", jobId: claim.jobId, refused: false },
    nextAfterMs: lateWatchMs(claim.looks, hintMs, random),
  });
  const refused: LookMark = { type: "claim", jobId: claim.jobId, refused: true, nextAfterMs: 0 };
  switch (outcome.outcome) {
    case "job": {
      const mayBeOurs = outcome.ref === undefined || outcome.ref === late.attempt.id;
      return mayBeOurs ? { type: "found", jobId: claim.jobId, by: "webhook", nextAfterMs: 0 } : refused;
    }
    case "missing":
      return claim.looks + 1 < CLAIM_LOOKS ? again() : refused;
    case "unanswered":
      return again(outcome.retryAfterMs);
    default:
      return unreachable(outcome);
  }
}

/** Answers in a row that it takes to believe "no such job", which may be a gateway's where it is not in the provider's own words. */
const LOST_ANSWERS = { documented: 2, status: 8 };

export interface LateAsked {
  readonly late: LateIn<"found">;
  readonly settings: ProviderSettings;
  readonly now: Date;
}

export function judgeLateQuery({ late, now, settings }: LateAsked, outcome: QueryOutcome, random: number): WatchMark {
  const watchMs = (hintMs?: number): number => lateWatchMs(late.looks, hintMs, random);
  switch (outcome.outcome) {
    case "job":
      return judgeJob({ late, now, settings }, outcome, watchMs());
    case "missing": {
      const missing = late.missing + 1;
      const isLost = missing >= (outcome.documented ? LOST_ANSWERS.documented : LOST_ANSWERS.status);
      return isLost ? close("lost", ZERO) : { type: "unclear", missing, nextAfterMs: watchMs() };
    }
    case "unanswered":
      return { type: "unclear", missing: late.missing, nextAfterMs: watchMs(outcome.retryAfterMs) };
    default:
      return unreachable(outcome);
  }
}

/** What is charged where the provider does not say what it billed is as for an attempt that ends so. */
function judgeJob(
  asked: LateAsked,
  job: Extract<QueryOutcome, { readonly outcome: "job" }>,
  nextAfterMs: number,
): WatchMark {
  const { late, settings } = asked;
  switch (job.state) {
    case "queued":
    case "running": {
      const isUnwanted = settings.unknown.lateJobs === "Discard" && late.cancelAskedAt === undefined;
      return { type: "alive", cancel: isUnwanted && settings.capabilities.cancel !== "None", nextAfterMs };
    }
    case "unrecognised":
      // Not known to be alive: a destructive cancel would take a finished job away.
      return { type: "alive", cancel: false, nextAfterMs };
    case "succeeded":
      return succeeded(asked, job, nextAfterMs);
    case "failed":
    case "cancelled":
      return close(job.state, job.cost ?? ZERO);
    default:
      return unreachable(job.state);
  }
}

/** Outputs that can't be copied are tried again for as long as the provider keeps any: then what it cost is all that is left to write. */
function succeeded(
  { late, now, settings }: LateAsked,
  { cost, outputs }: Extract<QueryOutcome, { readonly outcome: "job" }>,
  nextAfterMs: number,
): WatchMark {
  const ending = { verdict: "succeeded", charge: cost ?? late.attempt.held } as const;
  if (settings.unknown.lateJobs === "Discard" || outputs.length === 0) return { type: "close", close: ending };
  const mayRetry = now.getTime() < after(late.foundAt, settings.outputs.ttlSeconds * 1000);
  return { type: "keep", close: ending, outputs, mayRetry, nextAfterMs };
}

function close(verdict: LateVerdict, charge: MicroCredits): WatchMark {
  return { type: "close", close: { verdict, charge } };
}
