// What Postgres knows of one task, read in one statement at one instant of the database's clock.
import type { Attempt } from "./attempt.ts";
import type { MicroCredits, ProviderJobId, TaskKey } from "./brand.ts";
import type { Claim } from "./claim.ts";
import type { LateVerdict } from "./late-verdict.ts";
import type { Reason } from "./reasons.ts";
import type { AssetStatus } from "./resource.ts";

/** How a task ended. Written once, with the last attempt's end, and never changed. */
export interface TaskEnd {
  readonly phase: "Succeeded" | "Failed" | "Cancelled" | "Rejected";
  readonly reason: Reason;
  readonly message: string;
}

/** A task that waits for a person. What is known of its attempt stays as it is. */
export interface Parked {
  readonly reason: Reason;
  readonly message: string;
  readonly at: Date;
}

/** Why a task that is not parked does not go on, as last seen by a transaction that refused it. */
export interface Waiting {
  readonly reason: "InsufficientCredits" | "BudgetExhausted" | "QuotaExhausted";
  /** Place in the provider's line; 1 is next. Undefined when it waits for credits. */
  readonly position: number | undefined;
  /** When the budget begins anew. Undefined when it waits for anything else. */
  readonly until: Date | undefined;
}

export interface TaskRecord {
  readonly key: TaskKey;
  /** The object that stands for the wish now; another UID with the same key is a restored object or a copy. */
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly specHash: string;
  readonly registeredAt: Date;
  readonly ended: (TaskEnd & { readonly at: Date }) | undefined;
  readonly parked: Parked | undefined;
  readonly waiting: Waiting | undefined;
}

/** A job that turned up after its attempt was given up. */
export interface LateJob {
  /** The attempt's number. */
  readonly attempt: number;
  readonly jobId: ProviderJobId;
  /** How it came to its end; undefined while it is watched. */
  readonly verdict: LateVerdict | undefined;
  /** Outputs of it that were kept. */
  readonly kept: number;
}

export interface Facts {
  /** The database's clock: the only one that decisions know. */
  readonly now: Date;
  readonly record: TaskRecord | undefined;
  /** The newest attempt; every earlier one has ended. */
  readonly attempt: Attempt | undefined;
  /** Which job a webhook says that a submit without an answer made; the oldest that the provider did not refute. */
  readonly claim: Claim | undefined;
  /** Earlier attempts and this one, without those whose end proves that no job existed. */
  readonly paidAttempts: number;
  /** Attempts that proved never to have been created. */
  readonly freeAttempts: number;
  /** Over all attempts of the task. reserved = settled + released once it has ended. */
  readonly credits: {
    readonly reserved: MicroCredits;
    readonly settled: MicroCredits;
    readonly released: MicroCredits;
  };
  readonly assets: readonly AssetStatus[];
  /** The last that turned up, of any of the task's attempts. Nothing is decided upon it. */
  readonly late: LateJob | undefined;
}
