// Submit and replay: one request each, whatever happens, inside one deadline that also covers the wait for a slot.
import { makeLimit } from "../outbound/limit.ts";
import type { ConnectPolicy } from "../outbound/socket.ts";
import type { ProviderClient, SubmitRequest } from "../reconcile/ports.ts";
import type { SubmitOutcome } from "../task/outcome.ts";
import type { AccountDeps } from "./account-deps.ts";
import { deepestOf } from "./effort.ts";
import { addressOf, submitRequest, submitVariables } from "./request.ts";
import { sendOnce } from "./send-once.ts";
import { judgeSubmit } from "./submit.ts";
import type { WireEnding, WireRequest } from "./wire.ts";

const UNREADABLE: SubmitOutcome = { outcome: "ambiguous", code: "unreadable-answer" };

/** Neither rejects. Without a free slot in time, nothing was sent. */
export function makeSubmitCalls(deps: AccountDeps, policy: ConnectPolicy): Pick<ProviderClient, "submit" | "replay"> {
  const { jobID, path, body, rejected, reused } = deps.adapter.submit;
  // What goes into a request is a person's own input, of any size.
  const building = { loops: deepestOf([path, body]), bytes: Infinity };
  const judging = { loops: deepestOf([jobID, rejected, reused]), bytes: Infinity }; // they may read the input, too

  const submit = async (request: SubmitRequest, signal: AbortSignal): Promise<SubmitOutcome> => {
    const ownMs = deps.monotonicMs() + deps.spec.timeouts.submitSeconds * 1000;
    const deadlineMs = Math.min(ownMs, request.latestMs ?? ownMs);
    const wire = deps.reading.build(building, () =>
      submitRequest(deps.adapter, addressOf(deps.spec, deps.webhookUrl), request),
    );
    if (!wire) return { outcome: "refused", code: "unbuildable-request", content: false };

    const ending = await send(deps, policy, { wire, deadlineMs }, signal);
    const outcome = deps.reading.read<SubmitOutcome>(judging, UNREADABLE, () =>
      judgeSubmit(deps.adapter, ending, submitVariables(request, deps.webhookUrl), deps.now()),
    );
    if (outcome.outcome === "locked-out") deps.lockout.refused("submit", outcome.code);
    if (outcome.outcome === "accepted") deps.lockout.welcomed("submit");
    return outcome;
  };
  return { submit, replay: async (request, signal) => ofReplay(await submit(request, signal)) };
}

interface Sending {
  readonly wire: WireRequest;
  readonly deadlineMs: number;
}

async function send(
  deps: AccountDeps,
  policy: ConnectPolicy,
  { wire, deadlineMs }: Sending,
  signal: AbortSignal,
): Promise<WireEnding> {
  const { monotonicMs } = deps;
  const limit = makeLimit(signal, deadlineMs - monotonicMs(), () => new Error("cannot wait longer for a free slot"));
  const release = await deps.slots.submit.take(limit.signal).catch(() => undefined);
  limit.clear();
  if (!release) return { ending: "not-sent", code: signal.aborted ? "aborted" : "busy" };

  try {
    const authorised = { ...wire, headers: { ...wire.headers, ...deps.credential() } };
    return await sendOnce(authorised, { policy, deadlineMs, monotonicMs }, signal);
  } finally {
    release();
  }
}

// That a replay is refused says nothing of the first call: 400, 409 and 422 may just mean that its key was used.
function ofReplay(outcome: SubmitOutcome): SubmitOutcome {
  return outcome.outcome === "refused" ? { outcome: "ambiguous", code: `replay-${outcome.code}` } : outcome;
}
