// What an attempt at copying the outputs proves. Nothing here ever leads to a new job: this one is paid for.
import type { AttemptIn } from "../attempt.ts";
import { chargeOf } from "../charge.ts";
import { after } from "../deadline.ts";
import type { TaskEnd } from "../facts.ts";
import type { Expiry, Mark } from "../mark.ts";
import type { Observation } from "../observation.ts";
import type { FetchOutcome } from "../outcome.ts";
import type { ProviderSettings } from "../provider.ts";
import { REASONS } from "../reasons.ts";
import type { Reason } from "../reasons.ts";
import type { AssetStatus } from "../resource.ts";
import { fetchMs } from "../schedule.ts";
import { unreachable } from "../unreachable.ts";

/** A bit may flip on the way, and a page of an overloaded CDN may come instead: verification is repeated this often. */
const TRIES_OF_UNUSABLE = 3;
/** A provider's 404 may pass as well: the URLs are asked for anew, and their absence is doubted this long from the first one on. */
const DOUBT_MS = 30_000;

export interface Fetched {
  readonly attempt: AttemptIn<"ready">;
  readonly settings: ProviderSettings;
}

export function judgeFetch(
  seen: Observation,
  { attempt, settings }: Fetched,
  outcome: FetchOutcome,
  random: number,
): Mark {
  switch (outcome.outcome) {
    case "published":
      return succeeded(attempt, outcome.assets);
    case "expired":
      if (!isGone(seen, attempt, settings)) return again(attempt, "expired", random);
      return failed(attempt, "OutputExpired", REASONS.OutputExpired);
    case "unusable":
      if (attempt.fetches + 1 < TRIES_OF_UNUSABLE) return again(attempt, "none", random);
      return failed(attempt, "OutputUnusable", outcome.message);
    case "interrupted":
      if (tooLate(seen, attempt, settings))
        return failed(attempt, "FetchFailed", `${REASONS.FetchFailed} (${outcome.code})`);
      return again(attempt, "kept", random, outcome.retryAfterMs);
    default:
      return unreachable(outcome);
  }
}

function succeeded(attempt: AttemptIn<"ready">, assets: readonly AssetStatus[]): Mark {
  const message = assets.length === 1 ? "1 asset published" : `${assets.length} assets published`;
  const task: TaskEnd = { phase: "Succeeded", reason: "AssetsPublished", message };
  const charge = chargeOf(attempt, "Succeeded", attempt.cost);
  return { type: "end", ending: { reason: "Succeeded", charge, retryAfterMs: undefined, task }, assets };
}

function again(attempt: AttemptIn<"ready">, expiry: Expiry, random: number, hintMs?: number): Mark {
  return { type: "fetch-again", refetch: { nextAfterMs: fetchMs(attempt.fetches, hintMs, random), expiry } };
}

/** "No longer there" is believed at once only when the provider's own time is over. */
function isGone(seen: Observation, attempt: AttemptIn<"ready">, settings: ProviderSettings): boolean {
  const now = seen.now.getTime();
  if (now >= after(attempt.readyAt, settings.outputs.ttlSeconds * 1000)) return true;
  return attempt.expiredSince !== undefined && now >= after(attempt.expiredSince, DOUBT_MS);
}

/** Interruptions are waited out as long as the outputs may still be there, and at least for one full fetch. */
function tooLate(seen: Observation, attempt: AttemptIn<"ready">, settings: ProviderSettings): boolean {
  const limitSeconds = Math.max(settings.outputs.ttlSeconds, settings.timeouts.fetchSeconds);
  return seen.now.getTime() >= after(attempt.readyAt, limitSeconds * 1000);
}

function failed(attempt: AttemptIn<"ready">, reason: Reason, message: string): Mark {
  const charge = chargeOf(attempt, "OutputsUnusable", attempt.cost);
  return {
    type: "end",
    ending: { reason: "OutputsUnusable", charge, retryAfterMs: undefined, task: { phase: "Failed", reason, message } },
    assets: [],
  };
}
