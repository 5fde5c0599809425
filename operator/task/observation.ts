// All that a decision may look at. Gathered once a pass; nothing else exists for `decide`.
import type { Facts } from "./facts.ts";
import type { ProviderSeen } from "./provider.ts";
import type { Task } from "./task.ts";

export interface Observation extends Facts {
  readonly task: Task;
  readonly provider: ProviderSeen;
  /**
   * Whether the object that owns the record still exists. True unless the record's owner has another UID
   * than this task and a live read did not find it.
   */
  readonly ownerExists: boolean;
  /** Why the input can't be completed from spec.inputFrom now; looked at only before a submit. */
  readonly inputProblem: string | undefined;
  /** Whether this process knows that nothing ever left for the attempt, although it is marked `sent`. */
  readonly neverSent: boolean;
  /** How much of the operator's configuration concerns this task. */
  readonly policy: Policy;
}

/** The operator's own settings that decisions need. */
export interface Policy {
  /** How long a deleted object may wait for its provider before it is let go. */
  readonly deletionGraceMs: number;
  /** How long a task waits for a provider that does not exist before it is rejected. */
  readonly providerGraceMs: number;
  /** Names that spec.slaClass may have, with their defaults. */
  readonly slaClasses: Readonly<Record<string, SlaClass>>;
}

export interface SlaClass {
  readonly activeDeadlineSeconds?: number | undefined;
  readonly maxAttempts?: number | undefined;
  readonly priority?: number | undefined;
}
