// All that the operator may do. An action already holds what carrying it out needs; an impossible one does not type-check.
import type { AttemptIn, EndReason } from "./attempt.ts";
import type { MicroCredits, TaskKey } from "./brand.ts";
import type { Claim } from "./claim.ts";
import type { Decision } from "./decision.ts";
import type { Parked, TaskEnd } from "./facts.ts";
import type { ProviderSettings } from "./provider.ts";

export type LiveAttempt = AttemptIn<"intended" | "sent" | "accepted" | "ready">;

/** The end of an attempt, and of the task with it unless another attempt may follow. */
export interface Ending {
  readonly reason: EndReason;
  /** What the provider billed, as far as it is known: settled from the hold; the rest of the hold is released. */
  readonly charge: MicroCredits;
  /** Wait at least this long before the next attempt. */
  readonly retryAfterMs: number | undefined;
  /** Undefined: the task goes on, with a new attempt. */
  readonly task: TaskEnd | undefined;
  /** The person's that ends it. */
  readonly decision?: Decision;
}

export type SearchMethod = "replay" | "look-up" | "list";

export type Action =
  /** Nothing to do until something changes. */
  | { readonly type: "rest" }
  | { readonly type: "wait"; readonly ms: number }
  /** Write the task key and the finalizer onto the object: before any side effect. */
  | { readonly type: "pin"; readonly key: TaskKey }
  /** The record belongs to an object that is gone; this one takes its place. */
  | { readonly type: "adopt-record" }
  /** Register the task if need be, hold the credits, make the attempt: one transaction. */
  | {
      readonly type: "begin";
      readonly key: TaskKey;
      readonly settings: ProviderSettings;
      readonly estimate: MicroCredits;
    }
  | { readonly type: "submit"; readonly attempt: AttemptIn<"intended">; readonly settings: ProviderSettings }
  | {
      readonly type: "search";
      readonly attempt: AttemptIn<"sent">;
      readonly method: SearchMethod;
      readonly settings: ProviderSettings;
    }
  | { readonly type: "poll"; readonly attempt: AttemptIn<"accepted">; readonly settings: ProviderSettings }
  | { readonly type: "ask-cancel"; readonly attempt: AttemptIn<"accepted">; readonly settings: ProviderSettings }
  | { readonly type: "fetch"; readonly attempt: AttemptIn<"ready">; readonly settings: ProviderSettings }
  | { readonly type: "end-attempt"; readonly attempt: LiveAttempt; readonly ending: Ending }
  /** End a task that has no live attempt. */
  | { readonly type: "end-task"; readonly key: TaskKey; readonly end: TaskEnd; readonly decision?: Decision }
  | { readonly type: "park"; readonly key: TaskKey; readonly parked: Omit<Parked, "at"> }
  | { readonly type: "unpark"; readonly key: TaskKey; readonly decision?: Decision }
  /** Somebody says which job it is: ask the provider whether that can be. */
  | {
      readonly type: "confirm";
      readonly attempt: AttemptIn<"sent">;
      readonly claim: Claim;
      readonly settings: ProviderSettings;
      /** The person's who makes the claim. */
      readonly decision?: Decision;
    }
  /** Give the books an attempt that they lost, as one whose answer is unknown: hold its credits, and send nothing. */
  | {
      readonly type: "recover";
      readonly key: TaskKey;
      readonly number: number;
      readonly settings: ProviderSettings;
      readonly estimate: MicroCredits;
    }
  /** Take our finalizer off a deleted object. Only ever after its money is settled. */
  | { readonly type: "let-go" }
  /** Delete the object: its time to live has passed. */
  | { readonly type: "remove" };

/** The actions of these types. */
export type ActionOf<Type extends Action["type"]> = Extract<Action, { readonly type: Type }>;
