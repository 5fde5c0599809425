// Carries out one action. It never asks whether: policy is in task/decide, and what an answer proves in task/judge.
import type { Action, ActionOf } from "../task/action.ts";
import type { MicroCredits } from "../task/brand.ts";
import type { Observation } from "../task/observation.ts";
import type { ProviderSettings } from "../task/provider.ts";
import { unreachable } from "../task/unreachable.ts";
import { NOT_NOW, askCancel, fetch, poll, submit } from "./calls.ts";
import { confirm } from "./confirm.ts";
import { search } from "./look.ts";
import { AFTER_STALE, AT_ONCE, onward, registrationOf, waiting } from "./next.ts";
import type { BeginOutcome, Beginning, Deps, Next, Onward, Written } from "./ports.ts";

/** Throws what the ports throw: the pass is then repeated, and decides anew from what is written by then. */
export async function act(deps: Deps, seen: Observation, action: Action, signal: AbortSignal): Promise<Next | Onward> {
  switch (action.type) {
    case "rest":
      return "rest";
    case "wait":
      return { afterMs: action.ms };
    case "pin":
    case "let-go":
    case "remove":
      return actOnObject(deps, seen, action, signal);
    default:
      return actOnWorld(deps, seen, action, signal);
  }
}

type WorldAction = Exclude<Action, ObjectAction | { type: "rest" | "wait" }>;

async function actOnWorld(
  deps: Deps,
  seen: Observation,
  action: WorldAction,
  signal: AbortSignal,
): Promise<Next | Onward> {
  switch (action.type) {
    case "submit":
      return submit(deps, seen, action, signal);
    case "search":
      return search(deps, seen, action, signal);
    case "confirm":
      return confirm(deps, seen, action, signal);
    case "poll":
      return poll(deps, seen, action, signal);
    case "ask-cancel":
      return askCancel(deps, action, signal);
    case "fetch":
      return fetch(deps, seen, action, signal);
    default:
      return actOnBooks(deps, seen, action, signal);
  }
}

type ObjectAction = ActionOf<"pin" | "let-go" | "remove">;

async function actOnObject(
  deps: Deps,
  seen: Observation,
  action: ObjectAction,
  signal: AbortSignal,
): Promise<Next | Onward> {
  switch (action.type) {
    case "pin":
      // The books are as they were; the object is looked at anew.
      return (await deps.tasks.pin(seen.task, action.key, signal)) ? { facts: seen } : AT_ONCE;
    case "let-go":
      await deps.tasks.letGo(seen.task, signal);
      return "rest";
    case "remove":
      await deps.tasks.remove(seen.task, signal);
      return "rest";
    default:
      return unreachable(action);
  }
}

type BooksAction = Exclude<WorldAction, { type: "submit" | "search" | "confirm" | "poll" | "ask-cancel" | "fetch" }>;

async function actOnBooks(
  deps: Deps,
  seen: Observation,
  action: BooksAction,
  signal: AbortSignal,
): Promise<Next | Onward> {
  if (action.type === "begin") return begin(deps, seen, action, signal);
  if (action.type === "recover") return recover(deps, seen, action, signal);
  return onward(await writeBooks(deps, seen, action));
}

async function writeBooks(
  deps: Deps,
  { task }: Observation,
  action: Exclude<BooksAction, { type: "begin" | "recover" }>,
): Promise<Written> {
  switch (action.type) {
    case "adopt-record":
      return deps.books.adopt(registrationOf(task));
    case "end-attempt":
      return deps.books.end(action.attempt, action.ending, []);
    case "end-task":
      return deps.books.endTask(registrationOf(task), action.end, action.decision);
    case "park":
      return deps.books.park(registrationOf(task), action.parked);
    case "unpark":
      return deps.books.unpark(action.key, action.decision);
    default:
      return unreachable(action);
  }
}

/** Credits come with an event of their own; this is for an event that was lost. */
const SHORT_RECHECK_MS = 30_000;
/** A raised limit comes with an event, and the period's end is known; what a release leaves of a budget is found by looking. */
const BUDGET_RECHECK_MS = 60_000;

async function begin(
  deps: Deps,
  seen: Observation,
  action: ActionOf<"begin">,
  signal: AbortSignal,
): Promise<Next | Onward> {
  const budget = deps.quotas.budget(seen.task.namespace);
  if (budget === "unknown") return NOT_NOW;
  const decidedNumber = seen.task.spec.resolution?.attempt ?? 0;
  return begun(await deps.books.begin({ ...beginningOf(deps, seen, action, decidedNumber), budget }, signal));
}

function begun(outcome: BeginOutcome): Next | Onward {
  switch (outcome.outcome) {
    case "begun":
      return { facts: outcome.facts };
    case "short":
      return waiting(outcome, SHORT_RECHECK_MS);
    case "over-budget":
      return waiting(outcome, Math.min(outcome.afterMs, BUDGET_RECHECK_MS));
    case "stale":
      return AFTER_STALE;
    default:
      return unreachable(outcome);
  }
}

function beginningOf(
  deps: Deps,
  { task }: Observation,
  { estimate, settings }: { readonly estimate: MicroCredits; readonly settings: ProviderSettings },
  decidedNumber: number,
): Omit<Beginning, "budget"> {
  const { spec } = task;
  const classPriority = (spec.slaClass ? deps.policy.slaClasses[spec.slaClass]?.priority : undefined) ?? 0;
  const priority = classPriority + spec.priority;
  return {
    ...registrationOf(task),
    provider: settings.name,
    model: spec.model,
    estimate,
    decidedNumber,
    priority,
  };
}

/** Without the credits to hold, the task stays parked and says so. */
async function recover(
  deps: Deps,
  seen: Observation,
  action: ActionOf<"recover">,
  signal: AbortSignal,
): Promise<Next | Onward> {
  const recovered = await deps.books.recover(beginningOf(deps, seen, action, action.number), signal);
  if (recovered.outcome !== "short") return begun(recovered);
  const message = "cannot bind the job: the namespace lacks the credits to hold for it; add a CreditGrant";
  if (seen.record?.parked?.message === message) return { afterMs: SHORT_RECHECK_MS };
  return onward(await deps.books.park(registrationOf(seen.task), { reason: "RecordMissing", message }));
}
