// What an outcome becomes in the books. Judges make marks, `act` writes them; neither knows the other.
import type { Ending } from "./action.ts";
import type { MicroCredits, ProviderJobId } from "./brand.ts";
import type { Parked } from "./facts.ts";
import type { AssetStatus } from "./resource.ts";

/** How far the search for a job got. A missed look counts towards the proof of absence; an unanswered one does not. */
export interface Look {
  readonly missed: boolean;
  readonly nextAfterMs: number;
}

/** What one query told, when the attempt goes on being polled. */
export interface Poll {
  readonly nextAfterMs: number;
  readonly progress: number | undefined;
  /** The provider claims an end that is not believed yet (completed without output, or unknown job). */
  readonly doubtful: boolean;
}

export type Mark =
  | { readonly type: "accepted"; readonly jobId: ProviderJobId; readonly pollAfterMs: number }
  | { readonly type: "ambiguous"; readonly code: string; readonly searchAfterMs: number }
  | { readonly type: "look"; readonly look: Look }
  | { readonly type: "poll"; readonly poll: Poll }
  | { readonly type: "ready"; readonly cost: MicroCredits | undefined }
  | { readonly type: "fetch-again"; readonly nextAfterMs: number }
  | { readonly type: "park"; readonly parked: Omit<Parked, "at"> }
  | { readonly type: "end"; readonly ending: Ending; readonly assets: readonly AssetStatus[] };
