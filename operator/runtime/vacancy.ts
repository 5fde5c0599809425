// Waits until nobody holds any of some Leases, by what is observed here on a clock that never goes back. Takes none of them.
import { makeCandidacy, type Candidacy } from "./candidacy.ts";
import { sleep, systemClock, type Clock } from "./clock.ts";
import { isForbidden } from "./errors.ts";
import { holderOf, makeLeaseClient, type LeaseClient } from "./lease.ts";
import { silent, type Log } from "./log.ts";
import type { Transport } from "./transport.ts";

export interface VacancyDeps {
  readonly transport: Transport;
  readonly namespace: string;
  readonly names: readonly string[];
  readonly pollMs: number;
  /** Of a Lease that does not say how long it holds. */
  readonly leaseMs: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

interface Watched {
  readonly name: string;
  readonly client: LeaseClient;
  readonly sightings: Pick<Candidacy, "saw" | "freeForMs">;
}

/**
 * Resolves when each of them is absent, given back, or was not renewed for as long as it holds. One that we may not read counts
 * as vacant, and is told. Rejects when aborted; other faults are waited out.
 */
export async function untilVacant(deps: VacancyDeps, signal: AbortSignal): Promise<void> {
  const { clock = systemClock, leaseMs, log = silent, namespace, names, pollMs, transport } = deps;
  let watched: readonly Watched[] = names.map((name) => {
    const client = makeLeaseClient(transport, { namespace, name });
    const candidate = { client, clock, identity: "nobody", leaseMs, slowPath: () => undefined };
    return { name, client, sightings: makeCandidacy(candidate) };
  });
  for (;;) {
    const held = await Promise.all(watched.map((one) => isHeld(one, { timeoutMs: pollMs * 5, signal }, log)));
    watched = watched.filter((_, index) => held[index]);
    if (watched.length === 0) return;
    await sleep(clock, pollMs, signal);
  }
}

async function isHeld(
  { client, name, sightings }: Watched,
  options: Parameters<LeaseClient["get"]>[0],
  log: Log,
): Promise<boolean> {
  try {
    const lease = await client.get(options);
    if (!lease || holderOf(lease) === "") return false;
    sightings.saw(lease);
    return sightings.freeForMs() === 0;
  } catch (error) {
    options.signal.throwIfAborted();
    log("warn", "lease.unreadable", { lease: name, error });
    return !isForbidden(error);
  }
}
