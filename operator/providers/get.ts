// A GET of a path that expressions made, and what is read from its ending: within the limits of reading, whoever wrote the expressions.
import type { AccountDeps } from "./account-deps.ts";
import { UNKNOWN_EFFORT } from "./effort.ts";
import { unanswered, type Unanswered } from "./reply.ts";
import { addressOf, plainRequest } from "./request.ts";
import type { WireEnding, WireRequest } from "./wire.ts";

export const UNBUILDABLE = unanswered("unbuildable-request");
export const UNREADABLE = unanswered("unreadable-answer");

/** `read` judges the ending of a GET of the path below the base URL. */
export type Get = <Outcome>(
  path: () => unknown,
  read: (ending: WireEnding, now: Date) => Outcome,
  signal: AbortSignal,
) => Promise<Outcome | Unanswered>;

/** `send` must not reject; then no GET does. */
export function makeGet(
  { now, reading, spec, webhookUrl }: AccountDeps,
  send: (wire: WireRequest, signal: AbortSignal) => Promise<WireEnding>,
): Get {
  const address = addressOf(spec, webhookUrl);
  return async <Outcome>(
    path: () => unknown,
    read: (ending: WireEnding, now: Date) => Outcome,
    signal: AbortSignal,
  ) => {
    const wire = reading.build(UNKNOWN_EFFORT, () => plainRequest(address, "GET", path()));
    if (!wire) return UNBUILDABLE;
    const ending = await send(wire, signal);
    return reading.read<Outcome | Unanswered>(UNKNOWN_EFFORT, UNREADABLE, () => read(ending, now()));
  };
}
