// The books in memory: the compare-and-sets and holds that decisions rely on, by a manual clock. No SQL is tested here.
import { randomUUID } from "node:crypto";
import type { Books, Recovering, SentOutcome, Waiting } from "../../operator/reconcile/ports.ts";
import type { Attempt, AttemptIn } from "../../operator/task/attempt.ts";
import type { AttemptId, ProviderJobId } from "../../operator/task/brand.ts";
import { fullUntil } from "../../operator/task/budget.ts";
import type { Decision } from "../../operator/task/decision.ts";
import type { Look } from "../../operator/task/mark.ts";
import type { TaskRecord } from "../../operator/task/facts.ts";
import { endings } from "./endings.ts";
import { jobMarks } from "./job-marks.ts";
import { STALE, begunOf, change, factsOf, later, noted, patch, register, spendingOf } from "./shelf.ts";
import type { Account, Shelf, Sums } from "./shelf.ts";

export interface FakeBooks extends Books {
  readonly attempts: readonly Attempt[];
  readonly record: () => TaskRecord | undefined;
  readonly credits: () => Readonly<Sums & Pick<Account, "available">>;
  /** What reading a webhook leaves behind. */
  readonly claim: (jobId: ProviderJobId) => void;
  readonly refusedClaims: () => number;
  /** What people decided, oldest first. */
  readonly decisions: readonly Decision[];
  /** Holds that are not resolved. */
  readonly openHolds: () => number;
}

const QUEUED_MS = 1000;

/** Books for one task of the account. `now` is the database's clock. */
export function makeFakeBooks(now: () => Date, account: Account): FakeBooks {
  const sums = { reserved: 0n, settled: 0n, released: 0n };
  const shelf: Shelf = {
    account,
    now,
    attempts: [],
    assets: [],
    claims: [],
    decisions: [],
    sums,
    record: undefined,
  };
  account.shelves.push(shelf);
  return {
    attempts: shelf.attempts,
    decisions: shelf.decisions,
    record: () => shelf.record,
    credits: () => ({ available: account.available, ...sums }),
    claim: (jobId) => {
      shelf.claims.push({ claim: { jobId, by: "webhook", looks: 0 }, refused: false });
    },
    refusedClaims: () => shelf.claims.filter(({ refused }) => refused).length,
    openHolds: () => shelf.attempts.filter(({ state }) => state !== "ended").length,
    ...beginnings(shelf),
    ...submitMarks(shelf),
    ...jobMarks(shelf),
    ...endings(shelf),
  };
}

function beginnings(shelf: Shelf): Pick<Books, "load" | "begin" | "recover"> {
  return {
    load: () => Promise.resolve(factsOf(shelf)),
    begin: (beginning) => {
      register(shelf, beginning);
      if (shelf.attempts.some(({ state }) => state !== "ended")) return Promise.resolve(STALE);
      if (shelf.account.available < beginning.estimate) {
        return Promise.resolve({ outcome: "short", ...wait(shelf, "InsufficientCredits") });
      }
      const until = fullUntil(beginning.budget, spendingOf(shelf), beginning.estimate);
      if (until) {
        const afterMs = until.getTime() - shelf.now().getTime();
        return Promise.resolve({ outcome: "over-budget", afterMs, ...wait(shelf, "BudgetExhausted", until) });
      }
      patch(shelf, { waiting: undefined });
      shelf.attempts.push({ ...begunWith(shelf, beginning), state: "intended" });
      return Promise.resolve({ outcome: "begun", facts: factsOf(shelf) });
    },
    recover: (recovering) => {
      if (shelf.account.available < recovering.estimate) return Promise.resolve({ outcome: "short", changed: false });
      const at = shelf.now();
      shelf.attempts.push({
        ...begunWith(shelf, { ...recovering, decidedNumber: recovering.decidedNumber - 1 }),
        ...{ state: "sent", sentAt: at, deadline: at, ambiguity: { code: "record-missing", at } },
        search: { misses: 0, looks: 0, nextAt: undefined },
      });
      return Promise.resolve({ outcome: "begun", facts: factsOf(shelf) });
    },
  };
}

function wait(shelf: Shelf, reason: NonNullable<TaskRecord["waiting"]>["reason"], until?: Date): Waiting {
  const { waiting } = shelf.record ?? {};
  const changed = waiting?.reason !== reason || waiting.until?.getTime() !== until?.getTime();
  const { facts } = patch(shelf, { waiting: { reason, position: undefined, until } });
  return changed ? { changed, facts } : { changed };
}

function begunWith(shelf: Shelf, { decidedNumber, estimate, model, provider }: Recovering): ReturnType<typeof begunOf> {
  shelf.account.available -= estimate;
  shelf.sums.reserved += estimate;
  const number = Math.max(shelf.attempts.at(-1)?.number ?? 0, decidedNumber) + 1;
  return { id: randomUUID() as string as AttemptId, number, provider, model, held: estimate, begunAt: shelf.now() };
}

function submitMarks(shelf: Shelf): Pick<Books, "markSent" | "markAccepted" | "markAmbiguous" | "noteLook"> {
  return {
    markSent: (attempt, { inFlight }, deadlineMs): Promise<SentOutcome> => {
      if (inFlight !== undefined && atProvider(shelf) >= inFlight) return Promise.resolve(queued(shelf));
      const search = { misses: 0, looks: 0, nextAt: undefined };
      const sent: AttemptIn<"sent"> = {
        ...attempt,
        state: "sent",
        sentAt: shelf.now(),
        deadline: later(shelf, deadlineMs),
        ambiguity: undefined,
        search,
      };
      const { outcome } = change(shelf, attempt, sent);
      if (outcome === "done") patch(shelf, { waiting: undefined });
      return Promise.resolve(outcome === "done" ? { outcome: "sent", attempt: sent } : STALE);
    },
    markAccepted: (attempt, jobId, pollAfterMs, decision) => {
      if (standsFor(shelf, jobId)) {
        const ambiguity = { code: "job-id-taken", at: shelf.now() };
        const search = lookedOnce(shelf, attempt, { missed: false, nextAfterMs: pollAfterMs });
        change(shelf, attempt, { ...attempt, ambiguity, search });
        return Promise.resolve({ outcome: "taken" });
      }
      const written = change(shelf, attempt, acceptedAs(shelf, attempt, jobId, pollAfterMs));
      return Promise.resolve(noted(shelf, written, decision));
    },
    markAmbiguous: (attempt, code, searchAfterMs) =>
      Promise.resolve(
        change(shelf, attempt, {
          ...attempt,
          ambiguity: { code, at: shelf.now() },
          search: { ...attempt.search, nextAt: later(shelf, searchAfterMs) },
        }),
      ),
    noteLook: (attempt, look) =>
      Promise.resolve(change(shelf, attempt, { ...attempt, search: lookedOnce(shelf, attempt, look) })),
  };
}

/** Whether the job is another attempt's already, of whichever task. */
function standsFor({ account }: Shelf, jobId: ProviderJobId): boolean {
  return account.shelves.some(({ attempts }) => attempts.some((one) => "jobId" in one && one.jobId === jobId));
}

function queued(shelf: Shelf): SentOutcome {
  const waited = { outcome: "queued", afterMs: QUEUED_MS } as const;
  if (shelf.record?.waiting?.reason === "QuotaExhausted") return { ...waited, changed: false };
  const { facts } = patch(shelf, { waiting: { reason: "QuotaExhausted", position: 1, until: undefined } });
  return { ...waited, changed: true, facts };
}

/** Places that are taken: an attempt whose answer was lost keeps its own. */
function atProvider({ account }: Shelf): number {
  const attempts = account.shelves.flatMap((shelf) => shelf.attempts);
  return attempts.filter(({ state }) => state === "sent" || state === "accepted").length;
}

function acceptedAs(
  shelf: Shelf,
  attempt: AttemptIn<"sent">,
  jobId: ProviderJobId,
  pollAfterMs: number,
): AttemptIn<"accepted"> {
  return {
    ...begunOf(attempt),
    state: "accepted",
    jobId,
    sentAt: attempt.sentAt,
    acceptedAt: shelf.now(),
    cancelAskedAt: undefined,
    polls: 0,
    nextPollAt: later(shelf, pollAfterMs),
    progress: undefined,
    emptySince: undefined,
    missing: undefined,
  };
}

function lookedOnce(shelf: Shelf, { search }: AttemptIn<"sent">, look: Look): AttemptIn<"sent">["search"] {
  return {
    misses: look.missed ? search.misses + 1 : search.misses,
    looks: search.looks + 1,
    nextAt: later(shelf, look.nextAfterMs),
    takenAt: search.takenAt ?? (look.taken ? shelf.now() : undefined),
  };
}
