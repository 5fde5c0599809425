// Whether a submit may go out now: places at the provider, the line before them, and the rate. Pure arithmetic on counts
// that were read under the lock of the provider's line.
import type { Admission } from "../task/quota.ts";

/** Jobs that hold a place, and waiting attempts that come first. */
export interface Crowd {
  readonly inFlight: number;
  readonly ahead: number;
}

/** How crowded it is at this instant. `dueInMs`: from now to the moment when a submit would be exactly on time; may be negative. */
export interface Line {
  readonly provider: Crowd;
  readonly model: Crowd;
  readonly namespace: Crowd;
  /** All that wait before this one, whatever blocks them: the visible place in line is one more. */
  readonly waitingAhead: number;
  readonly dueInMs: number;
}

export type Verdict =
  | { readonly verdict: "admitted" }
  | { readonly verdict: "blocked"; readonly by: "provider" | "model" | "namespace" | "rate"; readonly afterMs: number };

/** An attempt that has not asked for this long has left the line: its task was suspended, deleted, or nobody leads. */
export const LINE_PATIENCE_MS = 60_000;
/** The line is read no further than this: a place beyond it is reported as this much, and more. */
export const LINE_LENGTH = 1000;
const MIN_WAIT_MS = 200;
// The rate's own waits are exact, each place in line has its moment: rounding them up to the above would waste the rate.
const MIN_RATE_WAIT_MS = 20;
const MAX_WAIT_MS = 15_000;
// The next in line looks often, so that a freed place is soon taken; those behind look more seldom.
const WAIT_PER_PLACE_MS = 400;

/** The narrowest limit first, so that who is blocked by its own model or namespace does not stand in others' way. */
export function admit(admission: Admission, line: Line): Verdict {
  const afterMs = bounded(MIN_WAIT_MS, (line.waitingAhead + 1) * WAIT_PER_PLACE_MS);
  if (isFull(admission.modelInFlight, line.model)) return { verdict: "blocked", by: "model", afterMs };
  if (isFull(admission.namespaceInFlight, line.namespace)) return { verdict: "blocked", by: "namespace", afterMs };
  if (isFull(admission.inFlight, line.provider)) return { verdict: "blocked", by: "provider", afterMs };
  return admitByRate(admission.rate, line);
}

/** `admit` says "admitted" however crowded it is: the line need neither be read nor locked. */
export function isUnlimited({ inFlight, modelInFlight, namespaceInFlight, rate }: Admission): boolean {
  return [inFlight, modelInFlight, namespaceInFlight, rate].every((limit) => limit === undefined);
}

/** Places are promised to those ahead first. */
function isFull(limit: number | undefined, { ahead, inFlight }: Crowd): boolean {
  return limit !== undefined && inFlight + ahead >= limit;
}

// GCRA: submits are due every `intervalMs`; up to `burst` may come at once after a rest. Those ahead count as if they had gone.
function admitByRate(rate: Admission["rate"], { dueInMs, provider }: Line): Verdict {
  if (!rate) return { verdict: "admitted" };
  const toleranceMs = (rate.burst - 1) * rate.intervalMs;
  const earlyMs = Math.max(0, dueInMs) + provider.ahead * rate.intervalMs - toleranceMs;
  if (earlyMs > 0) return { verdict: "blocked", by: "rate", afterMs: bounded(MIN_RATE_WAIT_MS, earlyMs) };
  return { verdict: "admitted" };
}

function bounded(minMs: number, waitMs: number): number {
  return Math.min(MAX_WAIT_MS, Math.max(minMs, Math.ceil(waitMs)));
}
