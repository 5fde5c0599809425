// One call that may be repeated, in the bounded pool of such calls, with the account's credential. It waits for a slot at most as long as
// a call may take. Never rejects.
import type { Dispatcher } from "undici";
import { makeLimit } from "../outbound/limit.ts";
import type { AccountDeps } from "./account-deps.ts";
import { ask } from "./ask.ts";
import type { WireEnding, WireRequest } from "./wire.ts";

export async function inSlot(
  deps: AccountDeps,
  dispatcher: Dispatcher,
  wire: WireRequest,
  signal: AbortSignal,
): Promise<WireEnding> {
  const afterMs = deps.spec.timeouts.querySeconds * 1000;
  const limit = makeLimit(signal, afterMs, () => new Error("cannot wait longer for a free slot"));
  const release = await deps.slots.read.take(limit.signal).catch(() => undefined);
  limit.clear();
  if (!release) return { ending: "not-sent", code: signal.aborted ? "aborted" : "busy" };

  try {
    const authorised = { ...wire, headers: { ...wire.headers, ...deps.credential() } };
    return await ask(dispatcher, authorised, afterMs, signal);
  } finally {
    release();
  }
}
