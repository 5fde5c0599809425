// One visit to one late search: decide, ask the provider one thing, write down what it proves. Killed anywhere, the next visit goes on
// from what is written. Never a submit: the attempt has ended, and so has what it cost its tenant.
import { decideLate, judgeLateClaim, judgeLateLook } from "../task/late.ts";
import type { LateAction, LateIn, LookMark } from "../task/late.ts";
import { unreachable } from "../task/unreachable.ts";
import { timed } from "./calls.ts";
import { closeLate, watchLate } from "./late-job.ts";
import type { LateDeps, LateNews } from "./late-job.ts";
import type { KnownJob, LateBooks, LateDue, Noted, ProviderClient } from "./ports.ts";

/** Undefined: nothing new, or somebody else was there. Throws what the books throw: then the visit is repeated. */
export async function visitLate(deps: LateDeps, due: LateDue, signal: AbortSignal): Promise<LateNews | undefined> {
  const { late, now } = due;
  const account = deps.provider(due);
  const action = decideLate(late, account?.settings, now);
  if (action.type === "close") return closeLate(deps, late, action.close);
  if (action.type === "wait" || !account) {
    await deps.books.noteVisit(late, action.type === "wait" ? action.ms : 0);
    return undefined;
  }
  if (action.type === "query") return watchLate(deps, { ...account, due, late: action.late }, signal);
  const mark = await look(deps, account.client, action, signal);
  // A look that was broken off proves nothing; what did come back is written down, whatever else ends.
  return signal.aborted && mark.type !== "found" ? undefined : write(deps, action.late, mark);
}

async function look(
  deps: LateDeps,
  client: ProviderClient,
  action: Extract<LateAction, { readonly type: "look" | "confirm" }>,
  signal: AbortSignal,
): Promise<LookMark> {
  const { attempt } = action.late;
  if (action.type === "look") {
    const { late, method } = action;
    const outcome = await timed(deps, attempt.provider, method, () => client.search(method, attempt, signal));
    return judgeLateLook(late, method, outcome, deps.random());
  }
  const job = { ...attempt, jobId: action.jobId };
  const outcome = await timed(deps, attempt.provider, "confirm", () => client.query(job, signal));
  return judgeLateClaim(action.late, outcome, deps.random());
}

async function write(deps: LateDeps, late: LateIn<"searching">, mark: LookMark): Promise<LateNews | undefined> {
  switch (mark.type) {
    case "looked":
      await deps.books.noteVisit(late, mark.nextAfterMs);
      return undefined;
    case "claim":
      await deps.books.noteClaim(late, mark);
      return undefined;
    case "found":
      return found(deps, late, mark);
    default:
      return unreachable(mark);
  }
}

/** A job that stands for another attempt is not this one's, whoever says so. */
async function found(
  { books, random }: LateDeps,
  late: LateIn<"searching">,
  { by, jobId }: Extract<LookMark, { readonly type: "found" }>,
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
  return books.noteVisit(late, judgeLateLook(late, "look-up", { outcome: "missed" }, random).nextAfterMs);
}
