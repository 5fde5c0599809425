// What an attempt's end costs the tenant, in credits of its hold. What is not charged is released.
import type { LiveAttempt } from "./action.ts";
import type { EndReason } from "./attempt.ts";
import type { MicroCredits } from "./brand.ts";
import { ZERO } from "./credits.ts";

/** What is charged when the provider does not say what it billed. */
const WITHOUT_ITS_WORD = {
  Succeeded: "held",
  OutputsUnusable: "held",
  Orphaned: "held",
  JobFailed: "nothing",
  Cancelled: "nothing",
  NotCreated: "nothing",
  Refused: "nothing",
  JobLost: "nothing",
  WrittenOff: "nothing",
} as const satisfies Record<EndReason, "held" | "nothing">;

/** `cost` is what the provider says it billed; undefined when it does not say. */
export function chargeOf(attempt: LiveAttempt, reason: EndReason, cost: MicroCredits | undefined): MicroCredits {
  return cost ?? (WITHOUT_ITS_WORD[reason] === "held" ? attempt.held : ZERO);
}
