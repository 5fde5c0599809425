// What an outcome becomes in the books. Judges make marks, `act` writes them; neither knows the other.
import type { Ending } from "./action.ts";
import type { MicroCredits, ProviderJobId } from "./brand.ts";
import type { Claim } from "./claim.ts";
import type { Parked } from "./facts.ts";
import type { AssetStatus } from "./resource.ts";

/** How far the search for a job got. A missed look counts towards the proof of absence; an unanswered one does not. */
export interface Look {
  readonly missed: boolean;
  /** The provider says that it took the submit, and not as which job. */
  readonly taken?: boolean;
  readonly nextAfterMs: number;
}

/**
 * An end that the provider claims and that is not believed yet: completed without output, or no such job. "kept": the query
 * told nothing, so that the doubt is what it was.
 */
export type Doubt = "none" | "empty" | "missing" | "kept";

/** What one query told, when the attempt goes on being polled. */
export interface Poll {
  readonly nextAfterMs: number;
  readonly progress: number | undefined;
  readonly doubt: Doubt;
}

/** What one try to copy the outputs told about their being there. "kept": nothing. */
export type Expiry = "none" | "expired" | "kept";

export interface Refetch {
  readonly nextAfterMs: number;
  readonly expiry: Expiry;
}

export type Mark =
  | { readonly type: "accepted"; readonly jobId: ProviderJobId; readonly pollAfterMs: number }
  | { readonly type: "ambiguous"; readonly code: string; readonly searchAfterMs: number }
  | { readonly type: "look"; readonly look: Look }
  /** A claim that was not confirmed: to be asked about again, or refused for good. */
  | { readonly type: "claim"; readonly claim: Claim; readonly refused: boolean; readonly nextAfterMs: number }
  | { readonly type: "poll"; readonly poll: Poll }
  | { readonly type: "ready"; readonly cost: MicroCredits | undefined }
  | { readonly type: "fetch-again"; readonly refetch: Refetch }
  | { readonly type: "park"; readonly parked: Omit<Parked, "at"> }
  | { readonly type: "end"; readonly ending: Ending; readonly assets: readonly AssetStatus[] };
