// A leader's look for tasks of its shard whose object is gone: compares who has a live attempt with the cache, and ends it after a grace.
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Owner } from "../reconcile/ports.ts";
import { asError } from "../runtime/clock.ts";
import { missedSince } from "../task/vanished.ts";
import type { Missed, VanishedEnd } from "../task/vanished.ts";

export interface VanishedDeps {
  /** The next owners of live attempts after this key, at most so many. */
  readonly owners: (afterKey: string, atMost: number, signal: AbortSignal) => Promise<readonly Owner[]>;
  /** Whether it is of this shard, and the cache has no such object. */
  readonly isMissing: (owner: Owner) => boolean;
  /** Asks the API server once more, and ends the attempt if there is something to end. */
  readonly end: (owner: Owner, signal: AbortSignal) => Promise<VanishedEnd | undefined>;
  readonly graceMs: number;
  /** Never goes back. */
  readonly nowMs: () => number;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "count">;
}

const PAGE = 1000;
const MAX_ENDS_PER_ROUND = 200;

/** One round at each call. What it has missed is kept in memory, for one term: with the next the grace begins anew. */
export function makeVanished(deps: VanishedDeps): (signal: AbortSignal) => Promise<void> {
  let missed: Missed = new Map();
  return async (signal) => {
    const missing = await findMissing(deps, signal);
    const nowMs = deps.nowMs();
    missed = missedSince(
      missed,
      missing.map(({ uid }) => uid),
      nowMs,
    );
    const due = missing.filter(({ uid }) => nowMs - (missed.get(uid) ?? nowMs) >= deps.graceMs);
    await endAll(deps, due.slice(0, MAX_ENDS_PER_ROUND), signal);
  };
}

async function findMissing({ isMissing, owners }: VanishedDeps, signal: AbortSignal): Promise<readonly Owner[]> {
  const missing: Owner[] = [];
  for (let afterKey: string | undefined = ""; afterKey !== undefined;) {
    const page: readonly Owner[] = await owners(afterKey, PAGE, signal);
    missing.push(...page.filter(isMissing));
    afterKey = page.length < PAGE ? undefined : page.at(-1)?.key;
  }
  return missing;
}

/** One that can't be ended keeps none of the others. Throws the last fault, when all were tried. */
async function endAll(deps: VanishedDeps, owners: readonly Owner[], signal: AbortSignal): Promise<void> {
  let fault: unknown;
  for (const owner of owners) {
    signal.throwIfAborted();
    try {
      const end = await deps.end(owner, signal);
      if (end) tell(deps, owner, end);
    } catch (error) {
      fault = error;
    }
  }
  if (fault !== undefined) throw asError(fault);
}

function tell({ log, metrics }: VanishedDeps, { key, name, namespace }: Owner, { attempt, ending }: VanishedEnd): void {
  metrics.count("tasksVanished", {});
  const { id, provider, state } = attempt;
  log("error", "task.vanished", {
    ...{ task: `${namespace}/${name}`, key, attempt: id, provider, state },
    ...{ reason: ending.reason, jobId: "jobId" in attempt ? attempt.jobId : undefined },
  });
}
