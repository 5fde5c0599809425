// How a fetch can end other than well, in the words of the port.
import type { FetchOutcome } from "../task/outcome.ts";
import { Interruption } from "./interruption.ts";

export type Ending = Exclude<FetchOutcome, { readonly outcome: "published" }>;

export const EXPIRED: Ending = { outcome: "expired" };

export function interrupted(code: string, retryAfterMs?: number): Ending {
  return { outcome: "interrupted", code, retryAfterMs };
}

/** `check` completes "output-0 is not usable: …". */
export function unusable(output: string, check: string): Ending {
  return { outcome: "unusable", message: `${output} is not usable: ${check}` };
}

/** An interruption as an outcome. Anything else is a fault of ours, and is thrown on. */
export function endingOf(error: unknown): Ending {
  if (error instanceof Interruption) return interrupted(error.code, error.retryAfterMs);
  throw error;
}
