// A leader's search for jobs of its shard's tasks that may turn up after their attempts were given up: slowly, a few at a time, one call
// at once for each provider. What turns up is told; the books have it already.
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { visitLate } from "../reconcile/late.ts";
import type { LateDeps, LateNews } from "../reconcile/late-job.ts";
import type { Deps, LateDue, Providers } from "../reconcile/ports.ts";
import { settingsOf } from "../task/provider.ts";
import { credits } from "./meters.ts";

export interface LateSearchDeps extends LateDeps, Pick<Deps, "pause"> {
  readonly isOurs: (objectKey: string) => boolean;
  /** The task has something to tell. */
  readonly wake: (objectKey: string) => void;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "count">;
}

const EVERY_MS = 15_000;
const PAGE = 500;
/** Of one provider in one round: the searches of a whole outage must not fill its quota of queries. */
const PER_PROVIDER = 5;
const PER_ROUND = 200;

/** Works until stopped. A round that fails is told and repeated with the next: nothing here is urgent. */
export async function runLateSearches(deps: LateSearchDeps, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await lateRound(deps, stop).catch((error: unknown) => {
      if (!stop.aborted) deps.log("warn", "late.failed", { error });
    });
    await deps.pause(EVERY_MS, stop).catch(() => undefined);
  }
}

/** One round: the longest due of each provider. */
export async function lateRound(deps: LateSearchDeps, signal: AbortSignal): Promise<void> {
  const byProvider = Map.groupBy(await chosen(deps, signal), ({ late }) => late.attempt.provider);
  await Promise.all([...byProvider.values()].map((due) => visitAll(deps, due, signal)));
}

/** Reads on past what is another shard's, or more than its provider's share: neither may keep the others waiting. */
async function chosen({ books, isOurs }: LateSearchDeps, signal: AbortSignal): Promise<readonly LateDue[]> {
  const taken: LateDue[] = [];
  const counts = new Map<string, number>();
  for (let last: LateDue | undefined; ;) {
    const page = await books.due(last, PAGE, signal);
    for (const due of page) {
      const { provider } = due.late.attempt;
      const count = counts.get(provider) ?? 0;
      if (count >= PER_PROVIDER || taken.length >= PER_ROUND || !isOurs(keyOf(due))) continue;
      counts.set(provider, count + 1);
      taken.push(due);
    }
    last = page.at(-1);
    if (page.length < PAGE || taken.length >= PER_ROUND) return taken;
  }
}

/** One that fails keeps none of the others. */
async function visitAll(deps: LateSearchDeps, dues: readonly LateDue[], signal: AbortSignal): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  for (const due of dues) {
    if (isOver()) return;
    try {
      const news = await visitLate(deps, due, signal);
      if (news) tell(deps, due, news);
    } catch (error) {
      if (!isOver()) deps.log("warn", "late.failed", { attempt: due.late.attempt.id, error });
    }
  }
}

function tell({ log, metrics, wake }: LateSearchDeps, due: LateDue, news: LateNews): void {
  const { late } = due;
  const task = keyOf(due);
  const { id: attempt, provider } = late.attempt;
  if (news.news === "found") {
    metrics.count("lateJobs", { provider, verdict: "found" });
    log("warn", "late.found", { task, attempt, provider, jobId: news.jobId, by: news.by });
    wake(task);
    return;
  }
  const { booked, verdict } = news;
  if (verdict === "none") {
    log("debug", "late.none", { task, attempt, provider });
    return;
  }
  metrics.count("lateJobs", { provider, verdict });
  metrics.count("credits", { kind: "lost" }, credits(booked));
  log("warn", "late.over", { task, attempt, provider, verdict, booked: booked.toString() });
  wake(task);
}

function keyOf({ task }: LateDue): string {
  return `${task.namespace}/${task.name}`;
}

/** What was begun is brought to its end with a provider that takes nothing new. */
export function providerOf(providers: Providers): LateDeps["provider"] {
  return ({ late, task }) => {
    const name = late.attempt.provider;
    const settings = settingsOf(providers.see(name, task.namespace));
    const client = providers.client(name);
    return settings && client ? { settings, client } : undefined;
  };
}
