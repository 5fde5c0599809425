// What a call to the outside may come back with, in our words. Adapters translate into these; nothing foreign passes.
import type { MicroCredits, ProviderJobId } from "./brand.ts";
import type { AssetStatus } from "./resource.ts";

/** The word of any ending below. */
export type OutcomeWord = (SubmitOutcome | SearchOutcome | QueryOutcome | CancelOutcome | FetchOutcome)["outcome"];

/** How a submit ended. The variant says what it proves; *retryable* and *safe to retry* are never one fact. */
export type SubmitOutcome =
  /** A job exists. */
  | { readonly outcome: "accepted"; readonly jobId: ProviderJobId }
  /** The request provably never left: name, connect or TLS failed, or our own guard refused. Nothing was created. */
  | { readonly outcome: "not-sent"; readonly code: string }
  /** 429 and documented "try later": nothing was created. */
  | { readonly outcome: "throttled"; readonly code: string; readonly retryAfterMs: number | undefined }
  /** The provider refuses this request for good: nothing was created. */
  | { readonly outcome: "refused"; readonly code: string; readonly content: boolean }
  /** The provider refuses us (credential, balance): nothing was created, and no other task would fare better. */
  | { readonly outcome: "locked-out"; readonly code: string }
  /** Refused because the key was used before: a job exists. Its id where the answer tells it. */
  | { readonly outcome: "reused"; readonly jobId: ProviderJobId | undefined }
  /** Everything else. A job may exist. */
  | { readonly outcome: "ambiguous"; readonly code: string };

/** How one look for a lost job ended. */
export type SearchOutcome =
  | { readonly outcome: "found"; readonly jobId: ProviderJobId }
  /** The provider answered, and has no such job. */
  | { readonly outcome: "missed" }
  /** More than one job could be ours: only a person can tell. */
  | { readonly outcome: "several"; readonly count: number }
  | { readonly outcome: "unanswered"; readonly code: string; readonly retryAfterMs: number | undefined };

export type QueryOutcome =
  | {
      readonly outcome: "job";
      readonly state: "queued" | "running" | "succeeded" | "failed" | "cancelled" | "unrecognised";
      /** Percent, 0 to 100. */
      readonly progress: number | undefined;
      readonly outputs: readonly Output[];
      readonly cost: MicroCredits | undefined;
      /** Our own id as the provider shows it for this job; undefined where it shows none. */
      readonly ref?: string | undefined;
      /** A short word of the provider's for why it failed; bounded, letters and digits only. */
      readonly failure: string | undefined;
    }
  /** The provider says that there is no such job. `documented`: in the words that it has for it, not by a mere status. */
  | { readonly outcome: "missing"; readonly documented: boolean }
  | { readonly outcome: "unanswered"; readonly code: string; readonly retryAfterMs: number | undefined };

/** One output as the provider describes it. `url` is a secret: it may be signed. */
export interface Output {
  readonly url: string;
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
  readonly bytes: number | undefined;
}

export type CancelOutcome =
  | { readonly outcome: "asked" }
  /** The provider says that there is nothing to cancel any more. */
  | { readonly outcome: "too-late" }
  | { readonly outcome: "unanswered"; readonly code: string; readonly retryAfterMs: number | undefined };

export type FetchOutcome =
  | { readonly outcome: "published"; readonly assets: readonly AssetStatus[] }
  /** The provider no longer serves them, and a fresh query did not help. */
  | { readonly outcome: "expired" }
  /** Complete, and not what it should be: `message` names the output and the check, never its URL or content. */
  | { readonly outcome: "unusable"; readonly message: string }
  | { readonly outcome: "interrupted"; readonly code: string; readonly retryAfterMs: number | undefined };
