// Writes what an answer proved: one mark, one transaction, one method of the books.
import type { AttemptIn } from "../task/attempt.ts";
import type { Doubt, Mark } from "../task/mark.ts";
import type { Observation } from "../task/observation.ts";
import { unreachable } from "../task/unreachable.ts";
import { AT_ONCE, after, onward, registrationOf } from "./next.ts";
import type { Deps, Next, Noted, Onward } from "./ports.ts";

type Called = AttemptIn<"sent" | "accepted" | "ready">;

/** Throws when the mark does not fit the attempt's state: that would be a judge's mistake, and nothing is written. */
export async function writeMark(deps: Deps, seen: Observation, attempt: Called, mark: Mark): Promise<Next | Onward> {
  switch (mark.type) {
    case "end":
      return onward(await deps.books.end(attempt, mark.ending, mark.assets));
    case "park":
      return onward(await deps.books.park(registrationOf(seen.task), mark.parked));
    case "accepted":
    case "ambiguous":
    case "look":
    case "claim":
      return markSent(deps, expect(attempt, "sent", mark), mark);
    case "poll":
      return markPoll(deps, expect(attempt, "accepted", mark), mark);
    case "ready":
      return onward(await deps.books.markReady(expect(attempt, "accepted", mark), mark.cost));
    case "fetch-again":
      return delayed(
        await deps.books.noteFetch(expect(attempt, "ready", mark), mark.refetch),
        mark.refetch.nextAfterMs,
      );
    default:
      return unreachable(mark);
  }
}

type SentMark = Extract<Mark, { readonly type: "accepted" | "ambiguous" | "look" | "claim" }>;

async function markSent(deps: Deps, attempt: AttemptIn<"sent">, mark: SentMark): Promise<Next | Onward> {
  switch (mark.type) {
    case "accepted":
      return onward(await deps.books.markAccepted(attempt, mark.jobId, mark.pollAfterMs));
    case "ambiguous":
      return onward(await deps.books.markAmbiguous(attempt, mark.code, mark.searchAfterMs));
    case "look":
      return delayed(await deps.books.noteLook(attempt, mark.look), mark.look.nextAfterMs);
    case "claim":
      return markClaim(deps, attempt, mark);
    default:
      return unreachable(mark);
  }
}

/** What a person claims is not in the books: it stands in the object, and is read again with it. */
async function markClaim(
  deps: Deps,
  attempt: AttemptIn<"sent">,
  { claim, nextAfterMs, refused }: Extract<Mark, { type: "claim" }>,
): Promise<Next> {
  if (claim.by === "person") return { afterMs: nextAfterMs };
  return delayed(await deps.books.noteClaim(attempt, { jobId: claim.jobId, refused, nextAfterMs }), nextAfterMs);
}

/** The next look reports a change of progress or doubt; one that found nothing new waits its time. */
async function markPoll(
  deps: Deps,
  attempt: AttemptIn<"accepted">,
  { poll }: Extract<Mark, { type: "poll" }>,
): Promise<Next> {
  const written = await deps.books.notePoll(attempt, poll);
  const changed = poll.progress !== attempt.progress || (poll.doubt !== "kept" && poll.doubt !== doubtOf(attempt));
  return changed ? after(written, AT_ONCE) : delayed(written, poll.nextAfterMs);
}

function doubtOf({ emptySince, missing }: AttemptIn<"accepted">): Doubt {
  if (missing) return "missing";
  return emptySince ? "empty" : "none";
}

function delayed(written: Noted, afterMs: number): Next {
  return after(written, { afterMs });
}

function expect<S extends Called["state"]>(attempt: Called, state: S, mark: Mark): AttemptIn<S> {
  if (attempt.state !== state)
    throw new Error(`cannot mark an attempt ${mark.type}: it is ${attempt.state}, not ${state}`);
  return attempt as AttemptIn<S>;
}
