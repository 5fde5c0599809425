// A job that turned up after its attempt was given up, on its way to its end: asked for, cancelled, or its outputs kept, and then closed.
import type { MicroCredits } from "../task/brand.ts";
import { judgeLateQuery } from "../task/late.ts";
import type { LateClose, LateIn, LateSearch, WatchMark } from "../task/late.ts";
import type { LateVerdict } from "../task/late-verdict.ts";
import type { ProviderSettings } from "../task/provider.ts";
import type { AssetStatus } from "../task/resource.ts";
import { unreachable } from "../task/unreachable.ts";
import { timed } from "./calls.ts";
import type { Deps, FetchOrder, KnownJob, LateBooks, LateDue, ProviderClient } from "./ports.ts";

export interface LateDeps extends Pick<Deps, "artifacts" | "journal" | "random" | "slots"> {
  readonly books: LateBooks;
  readonly tasks: Pick<Deps["tasks"], "get">;
  /** Whom the visit asks; its first call. Undefined: the provider does not exist, or can't be used now. */
  readonly provider: (due: LateDue) => Account | undefined;
}

interface Account {
  readonly settings: ProviderSettings;
  readonly client: ProviderClient;
}

/** What a visit changed that people should hear of. */
export type LateNews =
  | { readonly news: "found"; readonly late: LateIn<"searching">; readonly jobId: string; readonly by: string }
  | { readonly news: "over"; readonly late: LateSearch; readonly verdict: LateVerdict; readonly booked: MicroCredits };

interface Watching extends Account {
  readonly due: LateDue;
  readonly late: LateIn<"found">;
}

export async function watchLate(
  deps: LateDeps,
  watching: Watching,
  signal: AbortSignal,
): Promise<LateNews | undefined> {
  const { client, due, late, settings } = watching;
  const outcome = await timed(deps, late.attempt.provider, "query", () => client.query(jobOf(late), signal));
  const mark = judgeLateQuery({ late, settings, now: due.now }, outcome, deps.random());
  // A query that was broken off proves nothing, and an end is told to the next visit as well.
  if (signal.aborted) return undefined;
  switch (mark.type) {
    case "close":
      return closeLate(deps, late, mark.close);
    case "alive":
      return note(deps, late, mark, { isCancelAsked: mark.cancel && (await cancel(deps, watching, signal)) });
    case "unclear":
      return note(deps, late, mark, { missing: mark.missing });
    case "keep":
      return keep(deps, watching, mark, signal);
    default:
      return unreachable(mark);
  }
}

/** Ends the search. What a visit that was broken off has put in its place is swept by what the books list then. */
export async function closeLate(
  { books }: LateDeps,
  late: LateSearch,
  ending: LateClose,
  assets: readonly AssetStatus[] = [],
): Promise<LateNews | undefined> {
  const closed = await books.close(late, ending, assets);
  return closed.outcome === "done" ? { news: "over", late, verdict: ending.verdict, booked: closed.booked } : undefined;
}

async function note(
  { books }: LateDeps,
  late: LateIn<"found">,
  { nextAfterMs }: { readonly nextAfterMs: number },
  { isCancelAsked = false, missing = 0 }: { readonly isCancelAsked?: boolean; readonly missing?: number },
): Promise<undefined> {
  await books.noteWatch(late, { isCancelAsked, missing, nextAfterMs });
}

/** A cancel is a request: the job is watched until the provider says that it ended. */
async function cancel(deps: LateDeps, { client, late }: Watching, signal: AbortSignal): Promise<boolean> {
  const outcome = await timed(deps, late.attempt.provider, "cancel", () => client.cancel(jobOf(late), signal));
  return outcome.outcome !== "unanswered";
}

/** Outputs are for a task that is there. First they are put in their place, then one transaction lists them and ends the search. */
async function keep(
  deps: LateDeps,
  watching: Watching,
  mark: Extract<WatchMark, { readonly type: "keep" }>,
  signal: AbortSignal,
): Promise<LateNews | undefined> {
  const { due, late, settings } = watching;
  const order = orderOf(deps, due, mark);
  if (!order) return closeLate(deps, late, mark.close);
  const release = deps.slots.take("fetch", late.attempt.provider);
  if (!release) return note(deps, late, mark, {});
  try {
    const fetch = () => deps.artifacts.fetch(order, settings, signal);
    const outcome = await timed(deps, late.attempt.provider, "fetch", fetch);
    if (outcome.outcome === "published") return await closeLate(deps, late, mark.close, outcome.assets);
    if (outcome.outcome === "interrupted" && (mark.mayRetry || signal.aborted)) {
      await note(deps, late, mark, {});
      return undefined;
    }
    return await closeLate(deps, late, mark.close);
  } finally {
    release();
  }
}

/** Undefined: the object that the wish was made by is gone. */
function orderOf(
  { tasks }: LateDeps,
  { late, now, task }: LateDue,
  { outputs }: Extract<WatchMark, { readonly type: "keep" }>,
): FetchOrder | undefined {
  const object = tasks.get(`${task.namespace}/${task.name}`);
  if (!object || "message" in object || object.uid !== task.uid || object.deletedAt) return undefined;
  const { maxBytes, mediaTypes, minCount } = object.spec.output;
  return { attempt: { id: late.attempt.id, readyAt: now }, task, outputs, limits: { maxBytes, mediaTypes, minCount } };
}

function jobOf({ attempt, jobId }: LateIn<"found">): KnownJob {
  return { ...attempt, jobId };
}
