// The fake books' marks of a job that exists, or that somebody claims to.
import type { Books } from "../../operator/reconcile/ports.ts";
import type { AttemptIn } from "../../operator/task/attempt.ts";
import type { Poll } from "../../operator/task/mark.ts";
import { begunOf, change, later } from "./shelf.ts";
import type { Shelf } from "./shelf.ts";

export function jobMarks(
  shelf: Shelf,
): Pick<Books, "noteClaim" | "notePoll" | "noteCancelAsked" | "markReady" | "noteFetch"> {
  return {
    noteClaim: (attempt, { jobId, nextAfterMs, refused }) => {
      const known = shelf.claims.find(({ claim }) => claim.jobId === jobId);
      if (known) Object.assign(known, { refused, claim: { ...known.claim, looks: known.claim.looks + 1 } });
      const search = { ...attempt.search, nextAt: later(shelf, nextAfterMs) };
      return Promise.resolve(change(shelf, attempt, { ...attempt, search }));
    },
    notePoll: (attempt, poll) =>
      Promise.resolve(
        change(shelf, attempt, {
          ...attempt,
          polls: attempt.polls + 1,
          nextPollAt: later(shelf, poll.nextAfterMs),
          progress: poll.progress,
          ...doubtsAfter(shelf, attempt, poll),
        }),
      ),
    noteCancelAsked: (attempt) => Promise.resolve(change(shelf, attempt, { ...attempt, cancelAskedAt: shelf.now() })),
    markReady: (attempt, cost) => {
      const { acceptedAt, cancelAskedAt, jobId, sentAt } = attempt;
      const withJob = { ...begunOf(attempt), jobId, sentAt, acceptedAt, cancelAskedAt };
      return Promise.resolve(
        change(shelf, attempt, {
          ...withJob,
          state: "ready",
          readyAt: shelf.now(),
          cost,
          fetches: 0,
          nextFetchAt: shelf.now(),
          expiredSince: undefined,
        }),
      );
    },
    noteFetch: (attempt, { expiry, nextAfterMs }) => {
      const expiredSince = expiry === "kept" ? attempt.expiredSince : (attempt.expiredSince ?? shelf.now());
      return Promise.resolve(
        change(shelf, attempt, {
          ...attempt,
          fetches: attempt.fetches + 1,
          nextFetchAt: later(shelf, nextAfterMs),
          expiredSince: expiry === "none" ? undefined : expiredSince,
        }),
      );
    },
  };
}

function doubtsAfter(
  { now }: Shelf,
  { emptySince, missing }: AttemptIn<"accepted">,
  { doubt }: Poll,
): Pick<AttemptIn<"accepted">, "emptySince" | "missing"> {
  if (doubt === "kept") return { emptySince, missing };
  return {
    emptySince: doubt === "empty" ? (emptySince ?? now()) : undefined,
    missing: doubt === "missing" ? { since: missing?.since ?? now(), answers: (missing?.answers ?? 0) + 1 } : undefined,
  };
}
