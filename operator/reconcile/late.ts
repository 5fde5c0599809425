// One visit to one late search: decide, ask the provider one thing, write down what it proves. Killed anywhere, the next visit goes on
// from what is written. Never a submit: the attempt has ended, and so has what it cost its tenant.
import type { MicroCredits } from "../task/brand.ts";
import { decideLate, judgeLateClaim, judgeLateLook, judgeLateQuery } from "../task/late.ts";
import type { LateAction, LateIn, LateMark, LateSearch, LateVerdict } from "../task/late.ts";
import type { ProviderSettings } from "../task/provider.ts";
import { unreachable } from "../task/unreachable.ts";
import { timed } from "./calls.ts";
import type { Deps, KnownJob, LateBooks, LateDue, Noted, ProviderClient } from "./ports.ts";

export interface LateDeps extends Pick<Deps, "journal" | "random"> {
  readonly books: LateBooks;
  /** Undefined: the provider does not exist, or can't be used now. */
  readonly provider: (
    name: string,
    namespace: string,
  ) => { readonly settings: ProviderSettings; readonly client: ProviderClient } | undefined;
}

/** What a visit changed that people should hear of. */
export type LateNews =
  | { readonly news: "found"; readonly late: LateIn<"searching">; readonly jobId: string; readonly by: string }
  | { readonly news: "over"; readonly late: LateSearch; readonly verdict: LateVerdict; readonly booked: MicroCredits };

/** Undefined: nothing new, or somebody else was there. Throws what the books throw: then the visit is repeated. */
export async function visitLate(
  deps: LateDeps,
  { late, now, task }: LateDue,
  signal: AbortSignal,
): Promise<LateNews | undefined> {
  const account = deps.provider(late.attempt.provider, task.namespace);
  const action = decideLate(late, account?.settings, now);
  if (action.type === "close") return close(deps, late, action.close);
  if (action.type === "wait" || !account) {
    await deps.books.noteVisit(late, action.type === "wait" ? action.ms : 0);
    return undefined;
  }
  const mark = await ask(deps, account.client, action, signal);
  // A call that was broken off proves nothing; what did come back is written down, whatever else ends.
  const isKnown = mark.type === "found" || mark.type === "close";
  return signal.aborted && !isKnown ? undefined : write(deps, { late, client: account.client, mark }, signal);
}

async function ask(
  deps: LateDeps,
  client: ProviderClient,
  action: Exclude<LateAction, { readonly type: "close" | "wait" }>,
  signal: AbortSignal,
): Promise<LateMark> {
  const { provider } = action.late.attempt;
  switch (action.type) {
    case "look": {
      const { late, method } = action;
      const outcome = await timed(deps, provider, method, () => client.search(method, late.attempt, signal));
      return judgeLateLook(late, method, outcome, deps.random());
    }
    case "confirm": {
      const job = { ...action.late.attempt, jobId: action.jobId };
      const outcome = await timed(deps, provider, "confirm", () => client.query(job, signal));
      return judgeLateClaim(action.late, outcome, deps.random());
    }
    case "query": {
      const { late, settings } = action;
      const outcome = await timed(deps, provider, "query", () => client.query(jobOf(late), signal));
      return judgeLateQuery(late, settings, outcome, deps.random());
    }
    default:
      return unreachable(action);
  }
}

interface Answered {
  readonly late: LateSearch;
  readonly client: ProviderClient;
  readonly mark: LateMark;
}

async function write(deps: LateDeps, answered: Answered, signal: AbortSignal): Promise<LateNews | undefined> {
  const { late, mark } = answered;
  if (mark.type === "close") return close(deps, late, mark.close);
  if (late.state === "found") {
    await watch(deps, late, answered, signal);
    return undefined;
  }
  switch (mark.type) {
    case "looked":
      await deps.books.noteVisit(late, mark.nextAfterMs);
      return undefined;
    case "claim":
      await deps.books.noteClaim(late, mark);
      return undefined;
    case "found":
      return found(deps, late, mark);
    case "alive":
    case "unclear":
      throw new Error(`cannot mark a late search ${mark.type}: its job is not found yet`);
    default:
      return unreachable(mark);
  }
}

/** A job that stands for another attempt is not this one's, whoever says so. */
async function found(
  { books, random }: LateDeps,
  late: LateIn<"searching">,
  { by, jobId }: Extract<LateMark, { readonly type: "found" }>,
): Promise<LateNews | undefined> {
  const marked = await books.markFound(late, jobId, by);
  if (marked.outcome === "done") return { news: "found", late, jobId, by };
  if (marked.outcome === "taken") await notOurs(books, late, jobId, random());
  return undefined;
}

async function notOurs(
  books: LateBooks,
  late: LateIn<"searching">,
  jobId: KnownJob["jobId"],
  random: number,
): Promise<Noted> {
  if (late.claim?.jobId === jobId) return books.noteClaim(late, { jobId, refused: true, nextAfterMs: 0 });
  const missed = judgeLateLook(late, "look-up", { outcome: "missed" }, random);
  return books.noteVisit(late, missed.type === "looked" ? missed.nextAfterMs : 0);
}

/** Cancels what runs: nobody waits for it. A cancel is a request; the job is watched until the provider says that it ended. */
async function watch(
  deps: LateDeps,
  late: LateIn<"found">,
  { client, mark }: Answered,
  signal: AbortSignal,
): Promise<void> {
  if (mark.type !== "alive" && mark.type !== "unclear")
    throw new Error(`cannot mark a late job ${mark.type}: it is found`);
  const missing = mark.type === "unclear" ? mark.missing : 0;
  const isCancelAsked = mark.type === "alive" && mark.cancel && (await cancel(deps, client, late, signal));
  await deps.books.noteWatch(late, { isCancelAsked, missing, nextAfterMs: mark.nextAfterMs });
}

async function cancel(
  deps: LateDeps,
  client: ProviderClient,
  late: LateIn<"found">,
  signal: AbortSignal,
): Promise<boolean> {
  const outcome = await timed(deps, late.attempt.provider, "cancel", () => client.cancel(jobOf(late), signal));
  return outcome.outcome !== "unanswered";
}

async function close(
  { books }: LateDeps,
  late: LateSearch,
  ending: Parameters<LateBooks["close"]>[1],
): Promise<LateNews | undefined> {
  const closed = await books.close(late, ending);
  return closed.outcome === "done" ? { news: "over", late, verdict: ending.verdict, booked: closed.booked } : undefined;
}

function jobOf({ attempt, jobId }: LateIn<"found">): KnownJob {
  return { ...attempt, jobId };
}
