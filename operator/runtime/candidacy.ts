// One try to take or renew a Lease. Others' leases expire by what is observed here on a clock that never goes back,
// never by the times written in them: the clocks of two machines may differ by any amount.
import type { Clock } from "./clock.ts";
import { holderOf, type Lease, type LeaseClient } from "./lease.ts";
import { compareVersions } from "./objects.ts";

export type Try =
  /** `sinceMs`: the moment before the write was sent. Nobody else can have counted from an earlier one. */
  | { readonly outcome: "held"; readonly lease: Lease; readonly sinceMs: number }
  | { readonly outcome: "taken"; readonly holder: string };

export interface Candidacy {
  /** Takes or renews the lease if it is free, expired or ours. Throws KubeError when nobody knows. */
  attempt(options: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<Try>;
  /** The lease as last read, written or seen here. */
  observed(): Lease | undefined;
  /** A watch shows the lease: its expiry counts from then on, before anybody stands for it. Older ones are passed over. */
  saw(lease: Lease): void;
  /** For how long it has looked free, or expired, from here; 0 while somebody holds it. */
  freeForMs(): number;
}

export interface CandidacyDeps {
  readonly client: LeaseClient;
  readonly clock: Clock;
  readonly identity: string;
  readonly leaseMs: number;
  /** The fast renewal failed and the lease had to be read. */
  readonly slowPath: () => void;
}

export function makeCandidacy(deps: CandidacyDeps): Candidacy {
  const { client, clock, identity, leaseMs } = deps;
  let lease: Lease | undefined;
  // Expiry is counted from the first sight of each change of the record.
  let changedMs = -Infinity;
  const madeMs = clock.monotonicMs();
  let record = "";

  function observe(seen: Lease | undefined): void {
    const seenRecord = JSON.stringify(seen?.spec ?? null);
    if (seenRecord !== record) changedMs = clock.monotonicMs();
    record = seenRecord;
    lease = seen;
  }

  async function claim(options: Parameters<Candidacy["attempt"]>[0]): Promise<Try | undefined> {
    const sinceMs = clock.monotonicMs();
    const written = await client.claim(lease, { identity, leaseMs, date: clock.date() }, options);
    if (!written) return undefined;
    observe(written);
    return { outcome: "held", lease: written, sinceMs };
  }

  function freeForMs(): number {
    const unchangedMs = clock.monotonicMs() - Math.max(madeMs, changedMs);
    if (holderOf(lease) === "") return unchangedMs;
    const promisedMs = (lease?.spec?.leaseDurationSeconds ?? leaseMs / 1000) * 1000;
    return Math.max(0, unchangedMs - promisedMs);
  }

  function isFree(): boolean {
    const holder = holderOf(lease);
    return holder === "" || holder === identity || freeForMs() > 0;
  }

  return {
    attempt: async (options) => {
      if (holderOf(lease) === identity) {
        const renewed = await claim(options);
        if (renewed) return renewed;
        deps.slowPath();
      }
      observe(await client.get(options));
      const taken = isFree() ? await claim(options) : undefined;
      return taken ?? { outcome: "taken", holder: holderOf(lease) };
    },
    observed: () => lease,
    saw: (seen) => {
      if (compareVersions(versionOf(seen), versionOf(lease)) > 0) observe(seen);
    },
    freeForMs,
  };
}

function versionOf(lease: Lease | undefined): string {
  return lease?.metadata.resourceVersion ?? "";
}
