// One pass over one key, and what its end means for the queue. Contains every fault; never rejects.
import { asError, type Clock } from "./clock.ts";
import { makeDeadline } from "./deadline.ts";
import { isConflict, retryAfterOf, TerminalError, TermOver } from "./errors.ts";
import type { Log } from "./log.ts";
import type { Queue, Taken } from "./queue.ts";

/** When to look again if nothing changes before. */
export type Next = { readonly afterMs: number } | "rest";

export type PassResult = "success" | "requeue" | "requeue_after" | "error";

export interface PassMetrics {
  ended(result: PassResult, seconds: number): void;
  failed(kind: "error" | "terminal" | "timeout" | "panic"): void;
}

export interface PassDeps {
  readonly name: string;
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Next>;
  readonly mayAct: () => boolean;
  readonly passTimeoutMs: number;
  readonly queue: Queue;
  readonly log: Log;
  readonly metrics: PassMetrics | undefined;
  readonly clock: Clock;
}

export type Pass = (taken: Taken, force: AbortSignal) => Promise<void>;

// Somebody else wrote first: cheap, common, and over as soon as the cache has caught up.
const CONFLICT_CEILING_MS = 1_000;

/** The pass ends with the key given back to the queue. */
export function makePass(deps: PassDeps): Pass {
  const { queue, clock, passTimeoutMs } = deps;

  return async (taken, force) => {
    const { key } = taken;
    const startedMs = clock.monotonicMs();
    const late = (): Error => new PassTimeout(passTimeoutMs);
    const deadline = makeDeadline(clock, force, passTimeoutMs, late);
    try {
      if (!deps.mayAct()) return;
      const end = await endOf(deps, key, deadline.signal);
      const seconds = (clock.monotonicMs() - startedMs) / 1000;
      if ("next" in end) settle(deps, taken, { next: end.next, seconds });
      else if (!force.aborted) fail(deps, key, { error: end.error, isLate: deadline.expired(), seconds });
    } finally {
      deadline.clear();
      queue.done(key);
    }
  };
}

class PassTimeout extends Error {
  constructor(passTimeoutMs: number) {
    super(`cannot finish the pass: it took longer than ${passTimeoutMs} ms`);
    this.name = "PassTimeout";
  }
}

type End = { readonly next: Next } | { readonly error: unknown };

async function endOf({ reconcile }: PassDeps, key: string, signal: AbortSignal): Promise<End> {
  try {
    const next = await reconcile(key, signal);
    if (next !== "rest" && !(next.afterMs >= 0)) throw new TypeError("cannot plan the next pass: afterMs is no time");
    return { next };
  } catch (error) {
    return { error };
  }
}

function settle(deps: PassDeps, { key, priority }: Taken, end: { next: Next; seconds: number }): void {
  const { queue, metrics } = deps;
  const { next, seconds } = end;
  queue.forget(key);
  if (next === "rest") {
    metrics?.ended("success", seconds);
    return;
  }
  // Going on at once is the same piece of work; looking again later is not urgent.
  const isSameWork = next.afterMs === 0;
  queue.add(key, { afterMs: next.afterMs, priority: isSameWork ? priority : "background" });
  metrics?.ended(isSameWork ? "requeue" : "requeue_after", seconds);
}

interface Failure {
  readonly error: unknown;
  readonly isLate: boolean;
  readonly seconds: number;
}

function fail(deps: PassDeps, key: string, failure: Failure): void {
  const { name, queue, log } = deps;
  const { error } = failure;
  if (error instanceof TermOver) return; // as when it may not act: who may has the key too
  count(deps, failure);
  if (error instanceof TerminalError) {
    queue.forget(key);
    log("error", "pass.gave-up", { controller: name, key, error });
    return;
  }
  const ceiling = isConflict(error) ? { ceilingMs: CONFLICT_CEILING_MS } : {};
  const waitMs = Math.round(queue.retry(key, { ...ceiling, floorMs: retryAfterOf(error) ?? 0 }));
  log(isConflict(error) ? "info" : "warn", "pass.failed", { controller: name, key, error: asError(error), waitMs });
}

function count({ metrics }: PassDeps, { error, isLate, seconds }: Failure): void {
  if (!metrics) return;
  metrics.ended("error", seconds);
  metrics.failed("error");
  if (isLate) metrics.failed("timeout");
  if (error instanceof TerminalError) metrics.failed("terminal");
  if (isBug(error)) metrics.failed("panic");
}

// What other languages call a panic: nobody meant to throw this.
function isBug(error: unknown): boolean {
  return !(error instanceof Error) || error instanceof TypeError || error instanceof ReferenceError;
}
