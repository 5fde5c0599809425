// Query, search and cancel: calls that may be repeated, over kept connections, in a bounded pool.
import type { Dispatcher } from "undici";
import { makeLimit } from "../outbound/limit.ts";
import type { ProviderClient } from "../reconcile/ports.ts";
import type { CancelOutcome, QueryOutcome } from "../task/outcome.ts";
import type { AccountDeps } from "./account-deps.ts";
import { ask } from "./ask.ts";
import { deepestOf, UNKNOWN_EFFORT } from "./effort.ts";
import { readQuery } from "./query.ts";
import { failureOf, isSuccess, unanswered, type Unanswered } from "./reply.ts";
import { addressOf, jobVariables, plainRequest } from "./request.ts";
import { makeSearch } from "./search-calls.ts";
import { sizeOf, type WireEnding, type WireRequest } from "./wire.ts";

const LOCKED_OUT: ReadonlySet<number> = new Set([401, 402, 403]);
const TOO_LATE: ReadonlySet<number> = new Set([404, 409, 410]);

const UNBUILDABLE = unanswered("unbuildable-request");
const UNREADABLE = unanswered("unreadable-answer");

/** None of them rejects; each waits for a slot at most as long as a call may take. */
export function makeReadCalls(
  deps: AccountDeps,
  dispatcher: Dispatcher,
): Pick<ProviderClient, "query" | "search" | "cancel"> {
  const { adapter, spec, reading, now } = deps;
  const address = addressOf(spec, deps.webhookUrl);
  const send = (wire: WireRequest, signal: AbortSignal): Promise<WireEnding> => inSlot(deps, dispatcher, wire, signal);

  /** `read` judges the answer to a GET of the path. */
  async function get<Outcome>(
    path: () => unknown,
    read: (ending: WireEnding, now: Date) => Outcome,
    signal: AbortSignal,
  ): Promise<Outcome | Unanswered> {
    const wire = reading.build(UNKNOWN_EFFORT, () => plainRequest(address, "GET", path()));
    if (!wire) return UNBUILDABLE;
    const ending = await send(wire, signal);
    return reading.read<Outcome | Unanswered>(UNKNOWN_EFFORT, UNREADABLE, () => read(ending, now()));
  }

  const search = makeSearch(adapter, get);
  const { path, ...answer } = adapter.query;
  const asking = { loops: path.loops, bytes: Infinity };
  const judging = deepestOf(Object.values(answer));

  return {
    query: async (attempt, signal) => {
      const variables = jobVariables(attempt);
      const wire = reading.build(asking, () => plainRequest(address, "GET", path(variables)));
      if (!wire) return UNBUILDABLE;
      const ending = await send(wire, signal);
      return reading.read<QueryOutcome>({ loops: judging, bytes: sizeOf(ending) }, UNREADABLE, () =>
        readQuery(adapter, ending, { variables, url: wire.url }, now()),
      );
    },

    search,

    cancel: async (attempt, signal) => {
      const { cancel } = adapter;
      if (!cancel) return unanswered("not-configured");
      const wire = reading.build(UNKNOWN_EFFORT, () =>
        plainRequest(address, cancel.method, cancel.path(jobVariables(attempt))),
      );
      return wire ? readCancel(await send(wire, signal), now()) : UNBUILDABLE;
    },
  };
}

function readCancel(ending: WireEnding, now: Date): CancelOutcome {
  if (ending.ending === "answered" && isSuccess(ending)) return { outcome: "asked" };
  if (ending.ending === "answered" && TOO_LATE.has(ending.status)) return { outcome: "too-late" };
  return failureOf(ending, now);
}

async function inSlot(
  deps: AccountDeps,
  dispatcher: Dispatcher,
  wire: WireRequest,
  signal: AbortSignal,
): Promise<WireEnding> {
  const afterMs = deps.spec.timeouts.querySeconds * 1000;
  const limit = makeLimit(signal, afterMs, () => new Error("cannot wait longer for a free slot"));
  const release = await deps.slots.read.take(limit.signal);
  limit.clear();
  if (!release) return { ending: "not-sent", code: signal.aborted ? "aborted" : "busy" };

  try {
    const authorised = { ...wire, headers: { ...wire.headers, ...deps.credential() } };
    const ending = await ask(dispatcher, authorised, afterMs, signal);
    noteWelcome(deps, ending);
    return ending;
  } finally {
    release();
  }
}

function noteWelcome({ lockout }: AccountDeps, ending: WireEnding): void {
  if (ending.ending !== "answered") return;
  if (isSuccess(ending)) lockout.welcomed("read");
  if (LOCKED_OUT.has(ending.status)) lockout.refused("read", `status-${ending.status}`);
}
