// The rows behind the fake books: attempts changed by compare-and-set, sums changed by resolved holds.
import type { Decision } from "../../operator/task/decision.ts";
import type { Registration, Written } from "../../operator/reconcile/ports.ts";
import type { Ending } from "../../operator/task/action.ts";
import { provesAbsence } from "../../operator/task/attempt.ts";
import type { Attempt } from "../../operator/task/attempt.ts";
import type { MicroCredits } from "../../operator/task/brand.ts";
import type { Budget, Spending } from "../../operator/task/budget.ts";
import type { Claim } from "../../operator/task/claim.ts";
import { least, micro } from "../../operator/task/credits.ts";
import type { Facts, TaskRecord } from "../../operator/task/facts.ts";
import type { AssetStatus } from "../../operator/task/resource.ts";

/** What the tasks of one namespace have in common: one account, and the books of all. */
export interface Account {
  available: bigint;
  budget: Budget;
  /** What tasks that are not here have spent, and when. */
  readonly elsewhere: { readonly spent: bigint; readonly at: Date };
  readonly shelves: Shelf[];
}

/** Of one task. */
export interface Sums {
  reserved: bigint;
  settled: bigint;
  released: bigint;
}

export interface Shelf {
  readonly now: () => Date;
  readonly account: Account;
  readonly attempts: Attempt[];
  readonly assets: AssetStatus[];
  readonly claims: { claim: Claim; refused: boolean }[];
  readonly decisions: Decision[];
  readonly sums: Sums;
  record: TaskRecord | undefined;
}

export const STALE = { outcome: "stale" } as const;

/** Kept with the change that carries it out, and not without one. */
export function noted<T extends { readonly outcome: string }>(
  shelf: Shelf,
  written: T,
  decision: Decision | undefined,
): T {
  if (decision && written.outcome === "done") shelf.decisions.push(decision);
  return written;
}

/** What the books say now, as the answer to a mark. */
export function done(shelf: Shelf): { readonly outcome: "done"; readonly facts: Facts } {
  return { outcome: "done", facts: factsOf(shelf) };
}

export function factsOf({ assets, attempts, claims, now, record, sums }: Shelf): Facts {
  return {
    now: now(),
    record,
    attempt: attempts.at(-1),
    claim: claims.find(({ refused }) => !refused)?.claim,
    paidAttempts: attempts.filter((one) => one.state !== "ended" || !provesAbsence(one.reason)).length,
    freeAttempts: attempts.filter((one) => one.state === "ended" && provesAbsence(one.reason)).length,
    credits: { reserved: micro(sums.reserved), settled: micro(sums.settled), released: micro(sums.released) },
    assets: [...assets],
    late: undefined,
  };
}

/** What the namespace has spent in the day and month under way. Of the tasks that are here only what is held counts. */
export function spendingOf({ account, now }: Shelf): Spending {
  const day = startOfDay(now());
  const month = new Date(day).setUTCDate(1);
  const attempts = account.shelves.flatMap((shelf) => shelf.attempts);
  const held = attempts.map((one) => ({ at: one.begunAt, spent: one.state === "ended" ? 0n : one.held }));
  const since = (start: number): bigint =>
    [account.elsewhere, ...held].reduce((sum, { at, spent }) => (at.getTime() >= start ? sum + spent : sum), 0n);
  const monthEnds = new Date(new Date(month).setUTCMonth(new Date(month).getUTCMonth() + 1));
  return { day: since(day), month: since(month), dayEnds: new Date(day + DAY_MS), monthEnds };
}

const DAY_MS = 24 * 3_600_000;

function startOfDay(at: Date): number {
  return new Date(at).setUTCHours(0, 0, 0, 0);
}

export function later(shelf: Shelf, ms: number): Date {
  return new Date(shelf.now().getTime() + ms);
}

/** A compare-and-set: by id and the state that the caller saw. */
export function change(shelf: Shelf, attempt: { readonly id: string; readonly state: string }, next: Attempt): Written {
  const at = shelf.attempts.findIndex(({ id, state }) => id === attempt.id && state === attempt.state);
  if (at < 0) return STALE;
  shelf.attempts[at] = next;
  return done(shelf);
}

export function register(shelf: Shelf, { key, name, namespace, specHash, uid }: Registration): void {
  shelf.record ??= {
    key,
    name,
    namespace,
    specHash,
    uid,
    registeredAt: shelf.now(),
    ended: undefined,
    parked: undefined,
    waiting: undefined,
  };
}

export function patch(shelf: Shelf, changes: Partial<TaskRecord>): ReturnType<typeof done> {
  if (shelf.record) shelf.record = { ...shelf.record, ...changes };
  return done(shelf);
}

export function resolve({ account, sums }: Shelf, held: MicroCredits, { charge }: Ending): void {
  const settled = least(held, charge);
  sums.settled += settled;
  sums.released += held - settled;
  account.available += held - settled;
}

export function begunOf({
  begunAt,
  held,
  id,
  model,
  number,
  provider,
}: Attempt): Pick<Attempt, "begunAt" | "held" | "id" | "model" | "number" | "provider"> {
  return { begunAt, held, id, model, number, provider };
}
