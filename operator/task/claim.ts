// A claim: somebody says which job a lost submit made. It is believed when the provider itself confirms it, and never before.
import type { ProviderJobId } from "./brand.ts";

export interface Claim {
  readonly jobId: ProviderJobId;
  /** Whoever knew the attempt's webhook address, or the person who decides. */
  readonly by: "webhook" | "person";
  /** Times that the provider was asked for it without a clear answer. */
  readonly looks: number;
}
