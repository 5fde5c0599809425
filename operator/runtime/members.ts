// Which replicas there are. Each keeps a Lease of its own that says nothing but "I am here"; all watch them all. Whoever has taken
// it away, or is not heard of for the time of a Lease, is gone, by what is observed here on a clock that never goes back.
import { sleep, type Clock } from "./clock.ts";
import { isConflict, isNotFound } from "./errors.ts";
import { holderOf, LEASES, makeLeaseClient, type Lease, type LeaseClient, type LeasePlace } from "./lease.ts";
import type { Log } from "./log.ts";
import { keyOf, splitKey } from "./objects.ts";
import type { Reflector } from "./reflector.ts";
import { makeResource, type Resource } from "./resources.ts";
import type { Transport } from "./transport.ts";

export interface Members {
  /** Everybody who was heard of within the time of their Lease, and always ourselves. Sorted. */
  present(): readonly string[];
  /** Somebody came or went, or was heard of again. Those who fall silent are told by nobody: ask again now and then. */
  onChange(listener: () => void): void;
  /** Announces us and renews that until stopped, then takes it back. Never rejects: what fails is logged and tried again. */
  run(stop: AbortSignal): Promise<void>;
}

export interface MembersDeps extends LeasePlace {
  readonly transport: Transport;
  readonly identity: string;
  /** Shows the Leases of all members, which have names with `prefix` in common, and others that they hold: signs of life, too. */
  readonly watch: Pick<Reflector<Lease>, "onChange">;
  readonly prefix: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Tries to renew within the time of a Lease. */
const RENEWALS = 3;
/** A Lease that expired so many times ago is of a process that was killed: somebody takes it away. */
const LEFTOVER_AFTER = 4;
const MAX_REMOVED_AT_ONCE = 10;

interface Sighting {
  readonly lease: Lease;
  readonly changedMs: number;
}

interface State {
  readonly deps: MembersDeps;
  readonly client: LeaseClient;
  readonly leases: Resource<Lease>;
  readonly seen: Map<string, Sighting>;
  own: Lease | undefined;
}

/** Listens to the watch at once; announces nobody before `run`. */
export function makeMembers(deps: MembersDeps): Members {
  const client = makeLeaseClient(deps.transport, deps);
  const leases = makeResource<Lease>(deps.transport, LEASES);
  const state: State = { deps, client, leases, seen: new Map(), own: undefined };
  const listeners: (() => void)[] = [];
  deps.watch.onChange((key, lease) => {
    if (lease) state.seen.set(key, { lease, changedMs: deps.clock.monotonicMs() });
    else state.seen.delete(key);
    if (isMember(deps, key)) for (const listener of listeners) listener();
  });
  return {
    present: () => present(state),
    onChange: (listener) => void listeners.push(listener),
    run: (stop) => run(state, stop),
  };
}

function isMember({ prefix }: MembersDeps, key: string): boolean {
  return splitKey(key).name.startsWith(prefix);
}

function present(state: State): readonly string[] {
  const heard = silences(state).filter(({ silentForMs }) => silentForMs === 0);
  return [...new Set([state.deps.identity, ...heard.map(({ lease }) => holderOf(lease))])].sort();
}

/** The Leases of members, and for how long nothing that they hold was renewed beyond what that promises. */
function silences({ deps, seen }: State): readonly { readonly lease: Lease; readonly silentForMs: number }[] {
  const heardMs = new Map<string, number>();
  for (const { changedMs, lease } of seen.values()) {
    const holder = holderOf(lease);
    heardMs.set(holder, Math.max(changedMs, heardMs.get(holder) ?? -Infinity));
  }
  const members = [...seen].filter(([key]) => isMember(deps, key));
  return members.map(([, { changedMs, lease }]) => {
    const promisedMs = (lease.spec?.leaseDurationSeconds ?? deps.leaseMs / 1000) * 1000;
    const sinceMs = heardMs.get(holderOf(lease)) ?? changedMs;
    return { lease, silentForMs: Math.max(0, deps.clock.monotonicMs() - sinceMs - promisedMs) };
  });
}

async function run(state: State, stop: AbortSignal): Promise<void> {
  const { clock, leaseMs } = state.deps;
  while (!stop.aborted) {
    const share = (await keepUp(state, stop)) ? RENEWALS : RENEWALS * 4;
    await sleep(clock, leaseMs / share, stop).catch(() => undefined);
  }
  await withdraw(state);
}

async function keepUp(state: State, stop: AbortSignal): Promise<boolean> {
  try {
    await announce(state, stop);
    await removeLeftovers(state, stop);
    return true;
  } catch (error) {
    if (!stop.aborted) state.deps.log("warn", "member.renewal-failed", { error });
    return false;
  }
}

async function announce(state: State, signal: AbortSignal): Promise<void> {
  const { clock, identity, leaseMs } = state.deps;
  const options = { signal, timeoutMs: leaseMs / RENEWALS };
  const claim = (): Promise<Lease | undefined> =>
    state.client.claim(state.own, { identity, leaseMs, date: clock.date() }, options).catch(undefinedIfGone);
  const written = await claim();
  if (written) {
    state.own = written;
    return;
  }
  // Somebody thought us dead and tidied it away, or an answer was lost and our own write is there.
  state.own = await state.client.get(options);
  state.own = (await claim()) ?? state.own;
}

function undefinedIfGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}

/** Only as they were seen: one that was renewed meanwhile stays. */
async function removeLeftovers(state: State, signal: AbortSignal): Promise<void> {
  const { leaseMs } = state.deps;
  const leftovers = silences(state).filter(({ silentForMs }) => silentForMs > LEFTOVER_AFTER * leaseMs);
  for (const { lease } of leftovers.slice(0, MAX_REMOVED_AT_ONCE)) {
    const { resourceVersion, uid } = lease.metadata;
    const as = { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
    await state.leases.remove(keyOf(lease), { ...as, signal, timeoutMs: leaseMs / RENEWALS }).catch(ignoreConflict);
  }
}

function ignoreConflict(error: unknown): void {
  if (!isConflict(error)) throw error;
}

/** What can't be taken back expires. The name is ours alone. */
async function withdraw({ deps, leases }: State): Promise<void> {
  const { leaseMs, log, name, namespace } = deps;
  const limits = { signal: AbortSignal.timeout(leaseMs), timeoutMs: leaseMs / RENEWALS };
  await leases.remove(`${namespace}/${name}`, limits).catch((error: unknown) => {
    log("warn", "member.withdrawal-failed", { error });
  });
}
