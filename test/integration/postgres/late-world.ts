// Attempts that were given up while their job lives on at a provider, for the tests of late searches: real books, a provider in memory.
import { visitLate } from "../../../operator/reconcile/late.ts";
import type { LateDeps, LateNews } from "../../../operator/reconcile/late-job.ts";
import { makeLateBooks } from "../../../operator/postgres/late.ts";
import { importUsage } from "../../../operator/postgres/usage-import.ts";
import { bookUsage } from "../../../operator/postgres/usage.ts";
import type { BookedLine } from "../../../operator/postgres/usage.ts";
import type { Beginning, LateBooks, LateDue } from "../../../operator/reconcile/ports.ts";
import type { Ending } from "../../../operator/task/action.ts";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import type { TaskKey } from "../../../operator/task/brand.ts";
import { ZERO } from "../../../operator/task/credits.ts";
import type { ProviderSettings } from "../../../operator/task/provider.ts";
import { settings } from "../../builders/seen.ts";
import { makeFakeProvider } from "../../fakes/provider.ts";
import type { FakeProvider, ProviderScript } from "../../fakes/provider.ts";
import { makeWorld } from "../../fakes/world.ts";
import { NEVER, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";

/** What the fake provider says that a job cost. */
export const COST = 60_000n;

export const GIVEN_UP: Ending = {
  reason: "WrittenOff",
  charge: ZERO,
  retryAfterMs: undefined,
  task: { phase: "Failed", reason: "SubmitUnresolved", message: "m" },
};

export interface Lost {
  readonly desk: Desk;
  readonly provider: string;
  readonly key: TaskKey;
  readonly attempt: AttemptIn<"sent">;
  readonly fake: FakeProvider;
  readonly deps: LateDeps;
}

let providers = 0;

export interface LostOptions {
  readonly script?: ProviderScript;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly unknown?: Readonly<Record<string, unknown>>;
  readonly wish?: Partial<Beginning>;
}

/** A submit whose answer was lost after the job was made, at a provider of its own; given up by its policy. */
export async function loseJob(desk: Desk, options: LostOptions = {}): Promise<Lost> {
  const provider = `late-${(providers += 1)}`;
  const beginning = wish({ provider, ...options.wish });
  const attempt = await desk.sent(beginning);
  const fake = makeFakeProvider(tickingClock(), { submits: ["lost-after"], ...options.script });
  const request = { attemptId: attempt.id, model: "m", input: {}, task: beginning };
  await fake.submit(request, NEVER);
  await desk.books.markAmbiguous(attempt, "reset", 0);
  await desk.books.end(attempt, GIVEN_UP, []);
  const capabilities = options.capabilities ?? { lookupByClientID: true };
  const deps = lateDeps(
    makeLateBooks(desk.pool, () => desk.epoch),
    fake,
    settings({ capabilities, unknown: options.unknown ?? {} }),
  );
  return { desk, provider, key: beginning.key, attempt, fake, deps };
}

/** A second later each time that it is read. */
function tickingClock(): () => Date {
  let ticks = 0;
  return () => new Date((ticks += 1000));
}

export function lateDeps(books: LateBooks, client: FakeProvider, known: ProviderSettings): LateDeps {
  const { artifacts, journal, slots, tasks } = makeWorld().deps;
  return { artifacts, journal, slots, tasks, books, random: () => 0.5, provider: () => ({ settings: known, client }) };
}

/** Its search as it stands, due at once; undefined when it is over. */
export async function dueOf({ attempt, deps, desk }: Lost): Promise<LateDue | undefined> {
  await desk.pool.query("update genop.late_searches set next_at = now() where attempt_id = $1 and state <> 'over'", [
    attempt.id,
  ]);
  const dues = await deps.books.due(undefined, 500, NEVER);
  return dues.find(({ late }) => late.attempt.id === attempt.id);
}

/** One visit, as if its time had come. */
export async function visit(lost: Lost): Promise<LateNews | "nothing new" | "over"> {
  const due = await dueOf(lost);
  return due ? ((await visitLate(lost.deps, due, NEVER)) ?? "nothing new") : "over";
}

/** Visits until the search is over; what was told on the way. */
export async function visitToEnd(lost: Lost): Promise<readonly string[]> {
  const told: string[] = [];
  for (let visits = 0; visits < 40; visits += 1) {
    const news = await visit(lost);
    if (news === "over") return told;
    if (typeof news === "object") told.push(news.news === "over" ? news.verdict : news.news);
  }
  throw new Error("expected the late search to come to its end");
}

/** The provider's bill has a line for the job, and it is booked if it can be. */
export async function bill(
  { attempt, desk, fake, provider }: Lost,
  amount: bigint,
  showsRef: boolean,
): Promise<readonly BookedLine[]> {
  const [job] = fake.jobs;
  const line = { jobId: job?.id ?? "none", nth: 0, ref: showsRef ? attempt.id : undefined };
  await importUsage(desk.pool, provider, [{ ...line, amount, billedAt: new Date("2026-06-01T12:00:00Z") }]);
  const booked: BookedLine[] = [];
  for (;;) {
    const one = await bookUsage(desk.pool, () => desk.epoch, NEVER);
    if (!one) return booked;
    booked.push(one);
  }
}

/** What the reading of a webhook leaves behind while the job is sought. */
export async function claim({ attempt, desk: { pool } }: Lost): Promise<void> {
  await pool.query("insert into genop.claims (attempt_id, job_id) values ($1, 'job-1') on conflict do nothing", [
    attempt.id,
  ]);
}

export interface Row {
  readonly state: string;
  readonly job_id: string | null;
  readonly found_by: string | null;
  readonly verdict: string | null;
  readonly charge: bigint | null;
}

export async function rowOf({ attempt, desk }: Lost): Promise<Row | undefined> {
  const { rows } = await desk.pool.query<Row>(
    "select state, job_id, found_by, verdict, charge from genop.late_searches where attempt_id = $1",
    [attempt.id],
  );
  return rows[0];
}

/** What the platform owes this provider by entries of the given lost job: the late search's and the bill's. */
export async function owed({ attempt, desk, provider }: Lost): Promise<bigint> {
  const { rows } = await desk.pool.query<{ owed: bigint }>(
    `select coalesce(sum(entry.amount), 0)::bigint as owed
       from genop.ledger_transactions header
       join genop.entries entry on entry.transaction_id = header.id
       join genop.accounts account on account.id = entry.account_id and account.kind = 'provider-payable'
      where (header.operation = 'late' and header.business_id = $1) or (header.operation = 'usage' and starts_with(header.business_id, $2))`,
    [attempt.id, `${provider}/`],
  );
  return rows[0]?.owed ?? 0n;
}

/** Everything of a tenant that its money shows in. */
export async function moneyOf({ desk }: Lost, namespace: string): Promise<unknown> {
  const { rows } = await desk.pool.query(
    `select account.kind, balance.balance, balance.version
       from genop.accounts account join genop.balances balance on balance.account_id = account.id
      where account.namespace = $1 order by account.kind`,
    [namespace],
  );
  return rows;
}
