// Whether new work is taken: refused at once when it could not be recorded soon, or when too much of it waits. It decides from
// what is known already and asks nobody, so that a refusal is as fast when everything else is slow.
import type { Clock } from "../../operator/runtime/clock.ts";
import { Problem, type ProblemCode } from "../problems.ts";
import type { Rate } from "../../operator/runtime/rate.ts";
import type { Backlog } from "./backlog.ts";
import type { Books } from "./books.ts";

export interface Intake {
  /** Throws Problem when a new task of this namespace is not taken now. */
  readonly admit: (namespace: string) => void;
}

export interface IntakeSettings {
  readonly maxBacklog: number;
  readonly maxBacklogPerNamespace: number;
  /** A task that nobody takes up for so long says that the operator, or its database, does not work. */
  readonly untakenMs: number;
}

export interface IntakeDeps {
  readonly backlog: Backlog;
  /** Undefined when the operator's metrics are not read. */
  readonly books: Pick<Books, "state"> | undefined;
  readonly rate: Rate;
  readonly clock: Clock;
  readonly refused: (code: ProblemCode) => void;
  readonly settings: IntakeSettings;
}

/** While tasks are not taken up, one in so long is let through: with none at all nobody would see that the operator is back. */
const PROBE_EVERY_MS = 10_000;
const RETRY_SECONDS = { books: 10, backlog: 30 } as const;

export function makeIntake({ backlog, books, clock, rate, refused, settings }: IntakeDeps): Intake {
  let probedMs = -Infinity;

  function isStalled(): boolean {
    if (backlog.untakenMs() <= settings.untakenMs) return false;
    if (clock.monotonicMs() - probedMs < PROBE_EVERY_MS) return true;
    const isFirst = probedMs === -Infinity;
    probedMs = clock.monotonicMs();
    return isFirst; // the task that is not taken up is the first probe
  }

  function problemFor(namespace: string): Problem | undefined {
    if (books?.state() === "down") return unrecorded("its database does not answer");
    if (backlog.waiting() >= settings.maxBacklog) return full("all namespaces together have too many tasks that wait");
    if (backlog.waitingIn(namespace) >= settings.maxBacklogPerNamespace)
      return full("this namespace has too many tasks that wait");
    const waitSeconds = rate.take(namespace);
    if (waitSeconds > 0) {
      const detail = "cannot take the task: this namespace makes them faster than it may; try again";
      return new Problem("too-many-requests", { detail, retryAfterSeconds: waitSeconds });
    }
    return isStalled() ? unrecorded("it has not taken up the last ones") : undefined;
  }

  return {
    admit: (namespace) => {
      const problem = problemFor(namespace);
      if (!problem) return;
      refused(problem.code);
      throw problem;
    },
  };
}

function unrecorded(why: string): Problem {
  return new Problem("books-unavailable", {
    detail: `cannot take the task: the operator can't record it now, ${why}; nothing was begun, try again`,
    retryAfterSeconds: RETRY_SECONDS.books,
  });
}

function full(why: string): Problem {
  return new Problem("backlog-full", {
    detail: `cannot take the task: ${why}; try again later`,
    retryAfterSeconds: RETRY_SECONDS.backlog,
  });
}
