// Query, search and cancel: calls that may be repeated, over kept connections, in a bounded pool.
import type { Dispatcher } from "undici";
import type { ProviderClient } from "../reconcile/ports.ts";
import type { CancelOutcome, QueryOutcome } from "../task/outcome.ts";
import type { AccountDeps } from "./account-deps.ts";
import { deepestOf, UNKNOWN_EFFORT } from "./effort.ts";
import { UNBUILDABLE, UNREADABLE, makeGet } from "./get.ts";
import { inSlot } from "./in-slot.ts";
import { readQuery } from "./query.ts";
import { failureOf, isLockedOut, isSuccess, unanswered } from "./reply.ts";
import { addressOf, jobVariables, plainRequest } from "./request.ts";
import { makeSearch } from "./search-calls.ts";
import { sizeOf, type WireEnding, type WireRequest } from "./wire.ts";

const TOO_LATE: ReadonlySet<number> = new Set([404, 409, 410]);

/** None of them rejects; each waits for a slot at most as long as a call may take. */
export function makeReadCalls(
  deps: AccountDeps,
  dispatcher: Dispatcher,
): Pick<ProviderClient, "query" | "search" | "cancel"> {
  const { adapter, spec, reading, now } = deps;
  const address = addressOf(spec, deps.webhookUrl);
  const send = async (wire: WireRequest, signal: AbortSignal): Promise<WireEnding> => {
    const ending = await inSlot(deps, dispatcher, wire, signal);
    noteWelcome(deps, ending);
    return ending;
  };
  const search = makeSearch(adapter, makeGet(deps, send));
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

function noteWelcome({ lockout }: AccountDeps, ending: WireEnding): void {
  if (ending.ending !== "answered") return;
  if (isSuccess(ending)) lockout.welcomed("read");
  if (isLockedOut(ending)) lockout.refused("read", `status-${ending.status}`);
}
