// What a provider, a person or a clock does to a task while the process dies under it: the words for it.
import type { LateVerdict } from "../../operator/task/late-verdict.ts";
import type { Phase } from "../../operator/task/phase.ts";
import type { Differs } from "./differences.ts";

/**
 * What somebody does when they first see the task in a phase. `resolve` is what a person finds in the provider's console, `tell` a
 * webhook that names the job.
 */
export type Reaction = "cancel" | "delete" | "replace" | "resolve" | "tell";

export interface Behaviour {
  readonly name: string;
  /** One of PROVIDERS. */
  readonly provider?: keyof typeof PROVIDERS;
  readonly model?: string;
  readonly simulate?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly reactions?: Partial<Readonly<Record<Phase, Reaction>>>;
  /** How the drained task may have ended; "gone" when its object is no more. */
  readonly ends: readonly (Phase | "gone")[];
  /** What becomes of its job after its attempt was given up. Absent: no attempt of it is. */
  readonly late?: LateLife;
  /** Where its life differs from ORDINARY. */
  readonly differs?: Differs;
}

export interface LateLife {
  /** Who tells of the job, once it was looked for twice in vain. */
  readonly toldBy: "look" | "webhook";
  /** The job runs until it was watched twice, and is finished then. Otherwise it goes its own way. */
  readonly runsOn?: true;
  readonly verdict: LateVerdict;
  /** Outputs that are kept. */
  readonly kept: number;
}

const FAST = { connectSeconds: 1, submitSeconds: 2, querySeconds: 2, jobSeconds: 120, fetchSeconds: 20 };
const UNKNOWN = { settleSeconds: 2, misses: 2, patienceSeconds: 120 };
const QUICK = { timeouts: FAST, unknown: UNKNOWN };
/** Gives up early, and never believes in absence. */
const IMPATIENT = { settleSeconds: 2, misses: 100, patienceSeconds: 2 };
const BY_WEBHOOK = { lookupByClientID: false, correlate: "None", webhookAdoption: true, cancel: "Request" };

/** GenerationProviders on the simulator, as differences from the sample. */
export const PROVIDERS = {
  simulated: QUICK,
  blind: { ...QUICK, capabilities: { lookupByClientID: false, correlate: "None", cancel: "Request" } },
  replaying: { ...QUICK, capabilities: { idempotency: "Replay", cancel: "Request" } },
  telling: { ...QUICK, unknown: { ...UNKNOWN, patienceSeconds: 20 }, capabilities: BY_WEBHOOK },
  hiding: { ...QUICK, unknown: IMPATIENT },
  keeping: { ...QUICK, unknown: { ...IMPATIENT, lateJobs: "Keep" } },
  "telling-late": { ...QUICK, unknown: IMPATIENT, capabilities: BY_WEBHOOK },
} as const;
