// A row marked `sent` without a clear answer. It is never submitted again from here: it is looked for, in the way
// that the provider allows, until a job is found, its absence is proved, or patience ends and the task's own policy speaks.
import type { Action, ActionOf, SearchMethod } from "../action.ts";
import type { AttemptIn } from "../attempt.ts";
import type { TaskKey } from "../brand.ts";
import { LOOKS_FIRST, isTurnOf } from "../claim.ts";
import { ZERO } from "../credits.ts";
import { after, deadlinePassed, deletionGracePassed } from "../deadline.ts";
import { endOfNotCreated } from "../judge/submit.ts";
import type { Observation } from "../observation.ts";
import { settingsOf } from "../provider.ts";
import type { ProviderSettings } from "../provider.ts";
import { REASONS } from "../reasons.ts";
import { RECHECK_MS } from "../schedule.ts";
import { unreachable } from "../unreachable.ts";

/** A webhook wakes the task by itself; this is for when that is lost. */
const WEBHOOK_RECHECK_MS = 60_000;

/** Ends what provably never left, waits, looks for the job, or gives up as spec.unknownPolicy says. Never a submit. */
export function decideUnknown(seen: Observation, attempt: AttemptIn<"sent">, key: TaskKey): Action {
  const now = seen.now.getTime();
  if (seen.neverSent) return { type: "end-attempt", attempt, ending: endOfNotCreated(seen, undefined) };
  // Before the deadline another process may still be in the middle of this very call.
  if (attempt.ambiguity === undefined && now < attempt.deadline.getTime()) {
    return { type: "wait", ms: attempt.deadline.getTime() - now };
  }
  return deletionGracePassed(seen) ? letGo(attempt) : lookFor(seen, attempt, key);
}

function lookFor(seen: Observation, attempt: AttemptIn<"sent">, key: TaskKey): Action {
  const now = seen.now.getTime();
  const settings = settingsOf(seen.provider);
  if (!settings) return { type: "wait", ms: RECHECK_MS };

  const method = searchMethodOf(settings, attempt, seen);
  const isOver = patienceOver(settings, attempt, now);
  const claimed = confirmAction(seen, attempt, settings, method);
  if (claimed && !(isOver && isUnanswered(seen))) return claimed;
  if (!method && settings.capabilities.webhookAdoption && !isOver) return { type: "wait", ms: WEBHOOK_RECHECK_MS };
  if (!method || isOver) return giveUp(seen, attempt, key);
  return searchAction(attempt, method, settings, now);
}

/** Nobody has answered for the job that a webhook names, though asked often: patience is not extended for it any more. */
function isUnanswered({ claim }: Observation): boolean {
  return claim !== undefined && claim.looks >= LOOKS_FIRST;
}

/** A job that a webhook names is asked for first. Undefined: none is named, this provider's webhooks name none, or it is another method's turn. */
export function confirmAction(
  { claim, now }: Observation,
  attempt: AttemptIn<"sent">,
  settings: ProviderSettings,
  method: SearchMethod | undefined,
): Action | undefined {
  if (!claim || !settings.capabilities.webhookAdoption) return undefined;
  if (method && !isTurnOf(claim, attempt.search.looks)) return undefined;
  const waitMs = claim.looks === 0 ? 0 : (attempt.search.nextAt?.getTime() ?? 0) - now.getTime();
  return waitMs > 0 ? { type: "wait", ms: waitMs } : { type: "confirm", attempt, claim, settings };
}

/** Looks now, or waits for the next look. */
export function searchAction(
  attempt: AttemptIn<"sent">,
  method: SearchMethod,
  settings: ProviderSettings,
  now: number,
): Action {
  const waitMs = (attempt.search.nextAt?.getTime() ?? now) - now;
  return waitMs > 0 ? { type: "wait", ms: waitMs } : { type: "search", attempt, method, settings };
}

/**
 * The surest way first. Undefined: this provider gives nothing to hold on to. A replay makes the job where there is none yet:
 * for a task that nobody wants any more, that is the last resort.
 */
export function searchMethodOf(
  settings: ProviderSettings,
  attempt: AttemptIn<"sent">,
  seen: Observation,
): SearchMethod | undefined {
  const { capabilities } = settings;
  // Once the provider has said that the key is used, it will say so for ever.
  const isKeyed = capabilities.idempotency !== "None" && attempt.search.takenAt === undefined;
  const mayReplay = isKeyed && seen.now.getTime() < replayEnd(settings, attempt);
  const isExact = capabilities.lookupByClientID || capabilities.correlate === "Exact";
  if (mayReplay && (isWanted(seen) || !isExact)) return "replay";
  if (capabilities.lookupByClientID) return "look-up";
  if (capabilities.correlate !== "None") return "list";
  return undefined;
}

function isWanted(seen: Observation): boolean {
  return !seen.task.deletedAt && !seen.task.spec.cancelRequested && !deadlinePassed(seen);
}

/** When the uncertainty began: the end of the call, or the deadline when no process lived to see it. */
export function unknownSince(attempt: AttemptIn<"sent">): Date {
  return attempt.ambiguity?.at ?? attempt.deadline;
}

/** A key is only as good as its window; the margin is for the time that the replay itself takes. */
function replayEnd(settings: ProviderSettings, attempt: AttemptIn<"sent">): number {
  const marginMs = (settings.timeouts.submitSeconds + settings.timeouts.connectSeconds) * 1000;
  return after(attempt.sentAt, settings.capabilities.idempotencyWindowSeconds * 1000 - marginMs);
}

function patienceOver(settings: ProviderSettings, attempt: AttemptIn<"sent">, now: number): boolean {
  return now >= after(unknownSince(attempt), settings.unknown.patienceSeconds * 1000);
}

function giveUp(seen: Observation, attempt: AttemptIn<"sent">, key: TaskKey): Action {
  const policy = seen.task.spec.unknownPolicy;
  switch (policy) {
    case "Hold":
      return park(key, attempt);
    case "Fail":
      return writeOff(attempt, { phase: "Failed", reason: "SubmitUnresolved", message: REASONS.SubmitUnresolved });
    case "Resubmit":
      // The user has written that it may pay twice. No end of the task: a new attempt begins. Not for ever, though.
      return mayResubmit(seen, attempt) ? writeOff(attempt, undefined) : park(key, attempt);
    default:
      return unreachable(policy);
  }
}

/** Once, or as often as the retry policy allows paid attempts: lost answers in a row are the provider's state, not bad luck. Never while the provider says that it took it: that would pay twice for sure. */
function mayResubmit(seen: Observation, { search }: AttemptIn<"sent">): boolean {
  if (search.takenAt) return false;
  return seen.paidAttempts < Math.max(2, seen.task.spec.retryPolicy.maxAttempts);
}

function park(key: TaskKey, { number, search }: AttemptIn<"sent">): Action {
  const message = search.takenAt
    ? `the provider took the submit, and does not say as which job: find it, then set spec.resolution for attempt ${number} (BindJob or WriteOff)`
    : `cannot tell whether the provider took the submit: find out, then set spec.resolution for attempt ${number} (BindJob, NotCreated or WriteOff)`;
  return { type: "park", key, parked: { reason: "SubmitUnresolved", message } };
}

function writeOff(attempt: AttemptIn<"sent">, task: ActionOf<"end-attempt">["ending"]["task"]): Action {
  return {
    type: "end-attempt",
    attempt,
    ending: { reason: "WrittenOff", charge: ZERO, retryAfterMs: undefined, task },
  };
}

function letGo(attempt: AttemptIn<"sent">): Action {
  return writeOff(attempt, {
    phase: "Cancelled",
    reason: "Deleted",
    message: "the object was deleted before it was known whether a job exists",
  });
}
