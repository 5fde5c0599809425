// One attempt to have one job done: a row in Postgres, seen as a union with a member per state.
// A state carries what is known in that state and nothing else.
import type { AttemptId, MicroCredits, ProviderJobId } from "./brand.ts";

/** What is known from the first moment: the row and its hold are made in one transaction. */
interface Begun {
  readonly id: AttemptId;
  /** 1, 2, …: unique within the task. */
  readonly number: number;
  readonly provider: string;
  readonly model: string;
  /** Credits held for this attempt; resolved once, when it ends. */
  readonly held: MicroCredits;
  readonly begunAt: Date;
}

interface WithJob extends Begun {
  readonly jobId: ProviderJobId;
  readonly sentAt: Date;
  readonly acceptedAt: Date;
  /** Set when we asked the provider to cancel. A request, not a fact about the job. */
  readonly cancelAskedAt: Date | undefined;
}

/**
 * What a submit call that ended without a clear answer left behind. `code` is a stable word such as
 * `reset`, `headers-timeout`, `status-502`, `unreadable-answer`; never the provider's text.
 */
export interface Ambiguity {
  readonly code: string;
  readonly at: Date;
}

/** The search for a job that may or may not exist. */
export interface Search {
  /** Looks that were answered "no such job", in a row. */
  readonly misses: number;
  /** All looks made, answered or not. */
  readonly looks: number;
  readonly nextAt: Date | undefined;
  /** When the provider said that it had taken the submit, without saying as which job. */
  readonly takenAt?: Date | undefined;
}

export type Attempt =
  | (Begun & { readonly state: "intended" })
  /** The mark is written, so the request may have left. No clear answer is recorded. */
  | (Begun & {
      readonly state: "sent";
      readonly sentAt: Date;
      /** By the database's clock: before it, the call may still be under way in some process. */
      readonly deadline: Date;
      readonly ambiguity: Ambiguity | undefined;
      readonly search: Search;
    })
  | (WithJob & {
      readonly state: "accepted";
      readonly polls: number;
      readonly nextPollAt: Date;
      readonly progress: number | undefined;
      /** When the provider first said "completed" without an output, if it did. */
      readonly emptySince: Date | undefined;
      /** "No such job", said in a row: since when, and how often. */
      readonly missing: { readonly since: Date; readonly answers: number } | undefined;
    })
  /** The provider says it is done, with outputs. `cost` is what it says it billed. */
  | (WithJob & {
      readonly state: "ready";
      readonly readyAt: Date;
      readonly cost: MicroCredits | undefined;
      readonly fetches: number;
      readonly nextFetchAt: Date;
      /** When the outputs were first said to be gone, if they were and were not served since. */
      readonly expiredSince: Date | undefined;
    })
  | (Begun & {
      readonly state: "ended";
      readonly endedAt: Date;
      readonly reason: EndReason;
      readonly jobId: ProviderJobId | undefined;
      /** Undefined: it ended before it was sent. */
      readonly sentAt: Date | undefined;
      /** A new attempt may not begin before. Undefined: as soon as policy allows. */
      readonly retryAt: Date | undefined;
    });

export type AttemptIn<S extends Attempt["state"]> = Extract<Attempt, { readonly state: S }>;

/** Why an attempt ended, and with it what its end proves. The column of the same name holds exactly these words. */
export const END_REASONS = [
  "Succeeded",
  /** Proved never created: not sent, refused before acceptance for a passing reason, or absent when looked for. */
  "NotCreated",
  /** Refused by the provider for a reason that will not pass: nothing was created. */
  "Refused",
  /** The job ran and failed at the provider. */
  "JobFailed",
  /** The job ran, and its outputs could not be had, or failed verification. */
  "OutputsUnusable",
  /** The provider no longer knows a job it had accepted. */
  "JobLost",
  "Cancelled",
  /** Given up by policy or by a person while it was unknown whether a job exists. */
  "WrittenOff",
  /** Let go while it ran: the object was deleted, or its deadline passed. */
  "Orphaned",
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** Ends that prove that no job exists, so that a new attempt can't pay twice. */
export function provesAbsence(reason: EndReason): boolean {
  return reason === "NotCreated" || reason === "Refused";
}
