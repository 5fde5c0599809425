// Query, search and cancel: calls that may be repeated, over kept connections, in a bounded pool.
import type { Dispatcher } from "undici";
import { makeLimit } from "../outbound/limit.ts";
import type { ProviderClient } from "../reconcile/ports.ts";
import type { AttemptIn } from "../task/attempt.ts";
import type { CancelOutcome, QueryOutcome, SearchOutcome } from "../task/outcome.ts";
import type { AccountDeps } from "./account-deps.ts";
import { ask } from "./ask.ts";
import type { Expression } from "./expression.ts";
import { readQuery } from "./query.ts";
import { failureOf, isSuccess, unanswered } from "./reply.ts";
import { addressOf, jobVariables, plainRequest, searchVariables } from "./request.ts";
import { readList, readLookUp, type Sought } from "./search.ts";
import type { WireEnding, WireRequest } from "./wire.ts";

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
  const address = addressOf(spec);
  const send = (wire: WireRequest, signal: AbortSignal): Promise<WireEnding> => inSlot(deps, dispatcher, wire, signal);

  async function search<Looking extends { readonly path: Expression }>(
    looking: Looking | undefined,
    read: (looking: Looking, ending: WireEnding, sought: Sought, now: Date) => SearchOutcome,
    attempt: AttemptIn<"sent">,
    signal: AbortSignal,
  ): Promise<SearchOutcome> {
    if (!looking) return unanswered("not-configured");
    const sought = { attemptId: attempt.id, variables: searchVariables(attempt) };
    const wire = reading.build(() => plainRequest(address, "GET", looking.path(sought.variables)));
    if (!wire) return UNBUILDABLE;
    const ending = await send(wire, signal);
    return reading.read<SearchOutcome>(UNREADABLE, () => read(looking, ending, sought, now()));
  }

  return {
    query: async (attempt, signal) => {
      const variables = jobVariables(attempt);
      const wire = reading.build(() => plainRequest(address, "GET", adapter.query.path(variables)));
      if (!wire) return UNBUILDABLE;
      const ending = await send(wire, signal);
      return reading.read<QueryOutcome>(UNREADABLE, () =>
        readQuery(adapter, ending, { variables, url: wire.url }, now()),
      );
    },

    search: (method, attempt, signal) =>
      method === "look-up"
        ? search(adapter.lookUp, readLookUp, attempt, signal)
        : search(adapter.list, readList, attempt, signal),

    cancel: async (attempt, signal) => {
      const { cancel } = adapter;
      if (!cancel) return unanswered("not-configured");
      const wire = reading.build(() => plainRequest(address, cancel.method, cancel.path(jobVariables(attempt))));
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
