// What a look for a lost job proves. One miss proves nothing: lists lag, and an accepted job may show up late.
import type { SearchMethod } from "../action.ts";
import type { AttemptIn } from "../attempt.ts";
import { after } from "../deadline.ts";
import { unknownSince } from "../decide/unknown.ts";
import type { Mark } from "../mark.ts";
import type { Observation } from "../observation.ts";
import type { SearchOutcome, SubmitOutcome } from "../outcome.ts";
import type { ProviderSettings } from "../provider.ts";
import { PARKED_LOOK_MS, firstPollMs, searchMs } from "../schedule.ts";
import { unreachable } from "../unreachable.ts";
import { judgeSubmit, notCreated } from "./submit.ts";

export interface Looked {
  readonly attempt: AttemptIn<"sent">;
  readonly method: Exclude<SearchMethod, "replay">;
  readonly settings: ProviderSettings;
}

export function judgeSearch(seen: Observation, looked: Looked, outcome: SearchOutcome, random: number): Mark {
  switch (outcome.outcome) {
    case "found":
      return isExact(looked)
        ? { type: "accepted", jobId: outcome.jobId, pollAfterMs: firstPollMs(random) }
        : candidate(looked, `job "${outcome.jobId}" at the provider looks`);
    case "missed":
      return provedAbsent(seen, looked)
        ? notCreated(seen, undefined)
        : lookAgain(seen, looked.attempt, { missed: true, hintMs: undefined }, random);
    case "several":
      return candidate(looked, `${outcome.count} jobs at the provider look`);
    case "unanswered":
      return lookAgain(seen, looked.attempt, { missed: false, hintMs: outcome.retryAfterMs }, random);
    default:
      return unreachable(outcome);
  }
}

/**
 * A replay under the same key, inside the provider's window, is answered with the first job or makes the only one.
 * Being refused or throttled now proves nothing about the first request: only "accepted" ends the doubt.
 */
export function judgeReplay(
  seen: Observation,
  attempt: AttemptIn<"sent">,
  outcome: SubmitOutcome,
  random: number,
): Mark {
  if (outcome.outcome === "accepted") return judgeSubmit(seen, attempt, outcome, random);
  if (outcome.outcome === "reused" && outcome.jobId !== undefined) {
    return { type: "accepted", jobId: outcome.jobId, pollAfterMs: firstPollMs(random) };
  }
  const hintMs = outcome.outcome === "throttled" ? outcome.retryAfterMs : undefined;
  return lookAgain(seen, attempt, { missed: false, taken: outcome.outcome === "reused", hintMs }, random);
}

/** Only an exact correlation can prove absence, and only after a settle delay and several misses over it; never against the provider's own word. */
function provedAbsent(seen: Observation, looked: Looked): boolean {
  const { misses, settleSeconds } = looked.settings.unknown;
  const settled = seen.now.getTime() >= after(unknownSince(looked.attempt), settleSeconds * 1000);
  if (looked.attempt.search.takenAt) return false;
  return isExact(looked) && settled && looked.attempt.search.misses + 1 >= misses;
}

function isExact(looked: Looked): boolean {
  return looked.method === "look-up" || looked.settings.capabilities.correlate === "Exact";
}

interface Miss {
  readonly missed: boolean;
  readonly taken?: boolean;
  readonly hintMs: number | undefined;
}

function lookAgain(
  seen: Observation,
  attempt: AttemptIn<"sent">,
  { missed, taken = false, hintMs }: Miss,
  random: number,
): Mark {
  const nextAfterMs = seen.record?.parked ? PARKED_LOOK_MS : searchMs(attempt.search.looks + 1, hintMs, random);
  return { type: "look", look: { missed, taken, nextAfterMs } };
}

function candidate({ attempt }: Looked, jobs: string): Mark {
  const message = `cannot tell whether the provider took the submit: ${jobs} like ours; set spec.resolution for attempt ${attempt.number} to BindJob or NotCreated`;
  return { type: "park", parked: { reason: "SubmitUnresolved", message } };
}
