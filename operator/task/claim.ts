// A claim: somebody says which job a lost submit made. It is believed when the provider itself confirms it, and never before.
import type { ProviderJobId } from "./brand.ts";

export interface Claim {
  readonly jobId: ProviderJobId;
  /** Whoever knew the attempt's webhook address, or the person who decides. */
  readonly by: "webhook" | "person";
  /** Times that the provider was asked for it without a clear answer. */
  readonly looks: number;
}

/** How often a named job is asked for before anything else, while nobody answers. */
export const LOOKS_FIRST = 8;

/** Whether a named job is asked for next. One that nobody answers for takes turns with the other looks, so that it keeps nobody from finding another. */
export function isTurnOf({ looks }: Pick<Claim, "looks">, otherLooks: number): boolean {
  return looks < LOOKS_FIRST + otherLooks;
}
