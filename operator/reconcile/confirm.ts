// Asks the provider for a job that somebody named, before a word of it is believed. Never a submit, and never the end of an attempt.
import type { ActionOf } from "../task/action.ts";
import { RETRIED_CLAIM_MS, judgeClaim, unfounded } from "../task/judge/claim.ts";
import type { Mark } from "../task/mark.ts";
import type { Observation } from "../task/observation.ts";
import { NOT_NOW, timed } from "./calls.ts";
import { writeMark } from "./marks.ts";
import { onward } from "./next.ts";
import type { Deps, Next, Onward } from "./ports.ts";

type Confirm = ActionOf<"confirm">;

export async function confirm(
  deps: Deps,
  seen: Observation,
  action: Confirm,
  signal: AbortSignal,
): Promise<Next | Onward> {
  const { attempt, claim, settings } = action;
  const client = deps.providers.client(settings.name);
  if (!client) return NOT_NOW;
  const { id, model, number } = attempt;
  const job = { id, model, number, jobId: claim.jobId };
  const outcome = await timed(deps, settings.name, "confirm", () => client.query(job, signal));
  const mark = judgeClaim(seen, action, outcome, deps.random());
  return mark.type === "accepted" ? adopt(deps, seen, action, mark) : told(deps, seen, action, mark);
}

async function adopt(
  deps: Deps,
  seen: Observation,
  action: Confirm,
  { jobId, pollAfterMs }: Extract<Mark, { readonly type: "accepted" }>,
): Promise<Next | Onward> {
  const written = await deps.books.markAccepted(action.attempt, jobId, pollAfterMs, action.decision);
  if (written.outcome !== "taken") return onward(written);
  return told(deps, seen, action, unfounded(seen, action, "it stands for another attempt already"));
}

/** Said once: the person's claim stands in the object, and is tried again now and then without a write. */
async function told(deps: Deps, seen: Observation, { attempt }: Confirm, mark: Mark): Promise<Next | Onward> {
  const isSaid = mark.type === "park" && seen.record?.parked?.message === mark.parked.message;
  return isSaid ? { afterMs: RETRIED_CLAIM_MS } : writeMark(deps, seen, attempt, mark);
}
