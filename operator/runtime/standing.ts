// Waiting for a Lease: tries at intervals, and at once when a watch shows that it was given back. A standby therefore
// takes over from an orderly end in milliseconds, and from a crash when the lease expires.
import { makeBell, type Bell } from "./bell.ts";
import type { Candidacy, Try } from "./candidacy.ts";
import type { Cancel, Clock } from "./clock.ts";
import { holderOf, LEASES, type Lease } from "./lease.ts";
import type { Log } from "./log.ts";
import { makeReflector } from "./reflector.ts";
import { onAbort } from "./signals.ts";
import type { Transport } from "./transport.ts";

export interface StandingDeps {
  readonly transport: Transport;
  readonly namespace: string;
  readonly name: string;
  readonly candidacy: Candidacy;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeoutMs: number;
  readonly waitMs: () => number;
  /** A try that is under way when we are stopped may end by itself within this time: it may have won. */
  readonly graceMs: number;
  /** Somebody watches the lease already, and rings when it is given back. Default: it is watched here. */
  readonly whenReleased?: (ring: () => void) => void;
}

/** Resolves when the lease is ours, also when it became so while we were stopped; else undefined once stopped. */
export async function standForElection(
  deps: StandingDeps,
  stop: AbortSignal,
): Promise<Extract<Try, { outcome: "held" }> | undefined> {
  const { candidacy, clock, log } = deps;
  const end = new AbortController();
  const bell = makeBell(clock);
  let cancel: Cancel = () => undefined;
  const unlisten = onAbort(stop, () => {
    cancel = clock.after(deps.graceMs, () => end.abort(stop.reason));
    bell.ring();
  });
  if (deps.whenReleased) deps.whenReleased(() => bell.ring());
  else void ringOnRelease(deps, bell, end.signal);
  try {
    while (!stop.aborted) {
      bell.hush();
      const tried = await candidacy
        .attempt({ signal: end.signal, timeoutMs: deps.timeoutMs })
        .catch((error: unknown) => (stop.aborted ? undefined : log("warn", "leader.try-failed", { error })));
      if (tried?.outcome === "held") return tried;
      await bell.heard(deps.waitMs());
    }
    return undefined;
  } finally {
    unlisten();
    cancel();
    end.abort(new Error("the election is over"));
  }
}

function ringOnRelease(
  { transport, namespace, name, clock, log }: StandingDeps,
  bell: Bell,
  signal: AbortSignal,
): Promise<void> {
  const watched = makeReflector<Lease>({
    ...{ transport, kind: LEASES, namespace, clock, log },
    name: `lease ${name}`,
    fieldSelector: `metadata.name=${name}`,
  });
  watched.onChange((_, lease) => {
    if (holderOf(lease) === "") bell.ring();
  });
  return watched.run(signal);
}
