// Objects that went without us: somebody took the finalizer off by hand, and no event will ever tell of them again.
import type { Ending, LiveAttempt } from "./action.ts";
import type { EndReason } from "./attempt.ts";
import { chargeOf } from "./charge.ts";
import type { Facts, TaskEnd } from "./facts.ts";
import { unreachable } from "./unreachable.ts";

/** Since when each is missed, by UID and a clock that never goes back. Who is no longer missing is forgotten. */
export type Missed = ReadonlyMap<string, number>;

export function missedSince(before: Missed, missing: Iterable<string>, nowMs: number): Missed {
  return new Map([...missing].map((uid) => [uid, before.get(uid) ?? nowMs]));
}

export interface VanishedEnd {
  readonly attempt: LiveAttempt;
  readonly ending: Ending;
}

const TASK: TaskEnd = {
  phase: "Cancelled",
  reason: "Deleted",
  message: "the object was deleted without its finalizer: what was held is resolved",
};

/** How the attempt of an object ends that nobody will look after again. Undefined: there is none, or its submit is under way. */
export function endOfVanished({ attempt, now }: Facts): VanishedEnd | undefined {
  if (!attempt || attempt.state === "ended") return undefined;
  if (attempt.state === "sent" && attempt.ambiguity === undefined && now < attempt.deadline) return undefined;
  const reason = reasonOf(attempt);
  const cost = attempt.state === "ready" ? attempt.cost : undefined;
  return {
    attempt,
    ending: { reason, charge: chargeOf(attempt, reason, cost), retryAfterMs: undefined, task: TASK },
  };
}

function reasonOf(attempt: LiveAttempt): EndReason {
  switch (attempt.state) {
    case "intended":
      return "NotCreated";
    case "sent":
      return "WrittenOff";
    case "accepted":
    case "ready":
      return "Orphaned";
    default:
      return unreachable(attempt);
  }
}
