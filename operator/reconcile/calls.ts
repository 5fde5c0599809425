// The calls that leave the machine. Each is: the mark (where the call costs money), the call, what its answer
// proves, and the mark of that. The marks after a call take no signal: what is known is written down, whatever else ends.
import type { ActionOf } from "../task/action.ts";
import type { AttemptIn } from "../task/attempt.ts";
import { judgeFetch } from "../task/judge/fetch.ts";
import { judgeQuery } from "../task/judge/query.ts";
import { judgeSubmit } from "../task/judge/submit.ts";
import type { Observation } from "../task/observation.ts";
import type { FetchOutcome, OutcomeWord } from "../task/outcome.ts";
import { statusOf } from "../task/status.ts";
import { pollMs } from "../task/schedule.ts";
import { writeMark } from "./marks.ts";
import { AFTER_STALE, onward, registrationOf, waiting } from "./next.ts";
import type { Deps, Next, Onward, Operation, ProviderClient, SubmitRequest } from "./ports.ts";
import { tell } from "./tell.ts";

/** No client just now (its settings are being replaced), or no quota read yet: nothing was started. */
export const NOT_NOW: Next = { afterMs: 1000 };
/** What the mark and the way to the wire may take beyond the call's own limits. */
const SUBMIT_MARGIN_MS = 5000;

/**
 * An attempt is shown before its submit: if the database loses it, the status is all that keeps it from being submitted again. And before
 * its mark: marks made while the API server is away would all be submits to be searched for, once this process has lost its lease.
 */
export async function submit(
  deps: Deps,
  seen: Observation,
  action: ActionOf<"submit">,
  signal: AbortSignal,
): Promise<Next | Onward> {
  const told = tell(deps, seen, signal);
  told.catch(() => undefined); // heard below, after what is read beside it
  const { name } = action.settings;
  const client = deps.providers.client(name);
  const went =
    client &&
    inSlot(deps, "submit", name, async () => {
      // Both end before the pass goes on or fails: no write of this pass is under way during the next one.
      const request = await requestOf(deps, seen, action.attempt, signal).finally(() => told);
      return request ? submitInSlot(deps, seen, { ...action, client, request }, signal) : NOT_NOW;
    });
  const next = (await went) ?? NOT_NOW;
  await told;
  return next;
}

interface Ready extends ActionOf<"submit"> {
  readonly client: ProviderClient;
  readonly request: SubmitRequest;
}

async function submitInSlot(deps: Deps, seen: Observation, ready: Ready, signal: AbortSignal): Promise<Next | Onward> {
  const { attempt, settings } = ready;
  const admission = deps.quotas.admission(settings.name, attempt.model, seen.task.namespace);
  if (admission === "unknown") return NOT_NOW;

  // First the mark, then the wire. A crash in between costs one needless search;
  // the other order would cost a paid job that nobody knows about.
  const deadlineMs = (settings.timeouts.connectSeconds + settings.timeouts.submitSeconds) * 1000 + SUBMIT_MARGIN_MS;
  // Counted from before the mark, as the row's deadline is from the mark: a process that stood still in between sends nothing late.
  const latestMs = performance.now() + deadlineMs;
  const marked = await deps.books.markSent(attempt, admission, deadlineMs, signal).catch((error: unknown) => {
    // The mark may stand all the same. That nothing left for it is known here, and nowhere else.
    deps.unsent.note(attempt.id);
    throw error;
  });
  if (marked.outcome === "stale") return AFTER_STALE;
  if (marked.outcome === "queued") return waiting(marked, marked.afterMs);

  deps.unsent.forget(attempt.id);
  const call = timed(deps, settings.name, "submit", () => ready.client.submit({ ...ready.request, latestMs }, signal));
  const [outcome] = await Promise.all([call, tellIfSlow(deps, { ...seen, attempt: marked.attempt }, call, signal)]);
  return writeMark(deps, seen, marked.attempt, judgeSubmit(seen, marked.attempt, outcome, deps.random()));
}

const TELL_AFTER_MS = 1000;

/** Shows what is under way once it takes longer than a moment; for a quick call it would only be a write more. */
async function tellIfSlow(deps: Deps, seen: Observation, call: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const done = call.then(
    () => false,
    () => false,
  );
  const slow = deps.pause(TELL_AFTER_MS, AbortSignal.any([signal, over.signal])).then(
    () => true,
    () => false,
  );
  const isSlow = await Promise.race([done, slow]);
  over.abort();
  // A view: what can't be told now is told by the next pass.
  if (isSlow) await deps.tasks.report(seen.task, statusOf(seen), signal).catch(() => undefined);
}

export async function poll(
  deps: Deps,
  seen: Observation,
  action: ActionOf<"poll">,
  signal: AbortSignal,
): Promise<Next | Onward> {
  const client = deps.providers.client(action.settings.name);
  if (!client) return NOT_NOW;
  const outcome = await timed(deps, action.settings.name, "query", () => client.query(action.attempt, signal));
  return writeMark(deps, seen, action.attempt, judgeQuery(seen, action.attempt, outcome, deps.random()));
}

/** A cancel is a request: nothing is concluded from its answer. The job is watched until the provider says that it ended. */
export async function askCancel(
  deps: Deps,
  action: ActionOf<"ask-cancel">,
  signal: AbortSignal,
): Promise<Next | Onward> {
  const client = deps.providers.client(action.settings.name);
  if (!client) return NOT_NOW;
  const outcome = await timed(deps, action.settings.name, "cancel", () => client.cancel(action.attempt, signal));
  if (outcome.outcome === "unanswered")
    return { afterMs: pollMs(action.attempt.polls, outcome.retryAfterMs, deps.random()) };
  return onward(await deps.books.noteCancelAsked(action.attempt));
}

export async function fetch(
  deps: Deps,
  seen: Observation,
  action: ActionOf<"fetch">,
  signal: AbortSignal,
): Promise<Next | Onward> {
  const client = deps.providers.client(action.settings.name);
  if (!client) return NOT_NOW;
  return inSlot(deps, "fetch", action.settings.name, () => fetchInSlot(deps, seen, { ...action, client }, signal));
}

type FetchReady = ActionOf<"fetch"> & { readonly client: ProviderClient };

async function fetchInSlot(
  deps: Deps,
  seen: Observation,
  ready: FetchReady,
  signal: AbortSignal,
): Promise<Next | Onward> {
  const call = timed(deps, ready.settings.name, "fetch", () => fetchOutputs(deps, seen, ready, signal));
  const [outcome] = await Promise.all([call, tellIfSlow(deps, seen, call, signal)]);
  return writeMark(deps, seen, ready.attempt, judgeFetch(seen, ready, outcome, deps.random()));
}

/** How soon a pass without a slot looks again. */
const SLOT_RECHECK_MS = 250;

async function inSlot(
  deps: Deps,
  kind: "submit" | "fetch",
  provider: string,
  call: () => Promise<Next | Onward>,
): Promise<Next | Onward> {
  const release = deps.slots.take(kind, provider);
  if (!release) return { afterMs: Math.ceil(SLOT_RECHECK_MS * (1 + deps.random())) };
  try {
    return await call();
  } finally {
    release();
  }
}

/** Asks for the outputs anew: their URLs are secrets that expire, so they are never stored. */
async function fetchOutputs(
  deps: Deps,
  { task }: Observation,
  { attempt, client, settings }: FetchReady,
  signal: AbortSignal,
): Promise<FetchOutcome> {
  const job = await client.query(attempt, signal);
  if (job.outcome === "unanswered") return { outcome: "interrupted", code: job.code, retryAfterMs: job.retryAfterMs };
  if (job.outcome === "missing") {
    // A bare 404 may be a gateway's; the outputs of a job that the provider itself no longer knows are gone with it.
    return job.documented
      ? { outcome: "expired" }
      : { outcome: "interrupted", code: "job-missing", retryAfterMs: undefined };
  }
  if (job.outputs.length === 0) return { outcome: "interrupted", code: "outputs-withdrawn", retryAfterMs: undefined };
  const { maxBytes, mediaTypes, minCount } = task.spec.output;
  const order = {
    attempt,
    task: registrationOf(task),
    outputs: job.outputs,
    limits: { maxBytes, mediaTypes, minCount },
  };
  return deps.artifacts.fetch(order, settings, signal);
}

/** The whole input is read live: the cache keeps little of it. Undefined when it has just become unavailable. */
export async function requestOf(
  deps: Deps,
  { task }: Observation,
  attempt: AttemptIn<"intended" | "sent">,
  signal: AbortSignal,
): Promise<SubmitRequest | undefined> {
  const resolved = await deps.tasks.input(task, signal);
  if (resolved.outcome === "unavailable") return undefined;
  return { attemptId: attempt.id, model: attempt.model, input: resolved.input, task: registrationOf(task) };
}

export async function timed<Outcome extends { readonly outcome: OutcomeWord }>(
  deps: Pick<Deps, "journal">,
  provider: string,
  operation: Operation,
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  const startMs = performance.now();
  const outcome = await call();
  deps.journal.called(provider, operation, outcome.outcome, (performance.now() - startMs) / 1000);
  return outcome;
}
