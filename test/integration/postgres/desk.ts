// Everything that a test of the books needs at hand: a leader's books, and short ways to bring an attempt to a state.
import type { Pool } from "pg";
import { makeBooks } from "../../../operator/postgres/books.ts";
import { acquireEpoch } from "../../../operator/postgres/fence.ts";
import { makeGrants } from "../../../operator/postgres/grants.ts";
import { makeReports } from "../../../operator/postgres/reports.ts";
import type { Beginning, Books } from "../../../operator/reconcile/ports.ts";
import type { Ending } from "../../../operator/task/action.ts";
import type { Attempt, AttemptIn } from "../../../operator/task/attempt.ts";
import type { Epoch, ProviderJobId, TaskKey } from "../../../operator/task/brand.ts";
import { NO_BUDGET } from "../../../operator/task/budget.ts";
import { ZERO, micro } from "../../../operator/task/credits.ts";
import type { Admission } from "../../../operator/task/quota.ts";

export const NEVER = new AbortController().signal;
export const UNLIMITED: Admission = {
  inFlight: undefined,
  modelInFlight: undefined,
  namespaceInFlight: undefined,
  rate: undefined,
};
export const NOT_CREATED: Ending = { reason: "NotCreated", charge: ZERO, retryAfterMs: undefined, task: undefined };

let wishes = 0;

/** A wish like no other in this process. */
export function wish(changes: Partial<Beginning> = {}): Beginning {
  wishes += 1;
  const { namespace = "studio" } = changes;
  return {
    key: `${namespace}/wish-${wishes}` as TaskKey,
    uid: `uid-${wishes}`,
    namespace,
    name: `wish-${wishes}`,
    specHash: "hash",
    provider: "acme",
    model: "video",
    estimate: micro(100n),
    priority: 0,
    decidedNumber: 0,
    budget: NO_BUDGET,
    ...changes,
  };
}

export interface Desk {
  readonly pool: Pool;
  readonly epoch: Epoch;
  readonly books: Books;
  readonly reports: ReturnType<typeof makeReports>;
  grant(namespace: string, amount: bigint): Promise<void>;
  /** The newest attempt, in the state that the test expects. */
  attempt<S extends Attempt["state"]>(key: TaskKey, state: S): Promise<AttemptIn<S>>;
  begun(beginning?: Beginning): Promise<AttemptIn<"intended">>;
  sent(beginning?: Beginning): Promise<AttemptIn<"sent">>;
  accepted(beginning?: Beginning, jobId?: string): Promise<AttemptIn<"accepted">>;
  ready(beginning?: Beginning): Promise<AttemptIn<"ready">>;
  /** The reports that are not empty. */
  problems(): Promise<readonly string[]>;
}

let jobs = 0;

/** Becomes the leader, or works in the term of another desk. */
export async function openDesk(pool: Pool, term?: Epoch): Promise<Desk> {
  const epoch = term ?? (await acquireEpoch(pool, "desk"));
  const books = makeBooks(pool, () => epoch);
  const grants = makeGrants(pool, () => epoch);
  const reports = makeReports(pool);

  const attempt: Desk["attempt"] = async (key, state) => {
    const facts = await books.load(key, NEVER);
    if (facts.attempt?.state !== state)
      throw new Error(`expected an attempt ${state}, found ${facts.attempt?.state ?? "none"}`);
    return facts.attempt as AttemptIn<typeof state>;
  };
  const begun: Desk["begun"] = async (beginning = wish()) => {
    must(await books.begin(beginning, NEVER), "begun");
    return attempt(beginning.key, "intended");
  };
  const sent: Desk["sent"] = async (beginning = wish()) => {
    const outcome = await books.markSent(await begun(beginning), UNLIMITED, 30_000, NEVER);
    if (outcome.outcome !== "sent") throw new Error(`expected sent, got ${outcome.outcome}`);
    return outcome.attempt;
  };
  const accepted: Desk["accepted"] = async (beginning = wish(), jobId = `job-${(jobs += 1)}`) => {
    must(await books.markAccepted(await sent(beginning), jobId as ProviderJobId, 0), "done");
    return attempt(beginning.key, "accepted");
  };
  return {
    pool,
    epoch,
    books,
    reports,
    grant: async (namespace, amount) => {
      wishes += 1;
      must(
        await grants.apply({ uid: `grant-${wishes}`, namespace, amount: micro(amount), reason: "test" }, NEVER),
        "applied",
      );
    },
    attempt,
    begun,
    sent,
    accepted,
    ready: async (beginning = wish()) => {
      must(await books.markReady(await accepted(beginning), undefined), "done");
      return attempt(beginning.key, "ready");
    },
    problems: async () => (await reports.run(NEVER)).filter(({ rows }) => rows > 0).map(({ report }) => report),
  };
}

function must(found: { readonly outcome: string }, expected: string): void {
  if (found.outcome !== expected) throw new Error(`expected ${expected}, got ${found.outcome}`);
}
