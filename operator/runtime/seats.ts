// Several leaders in place of one: a Lease and an elector for each shard, spread over the replicas that are there. A replica
// stands at once for a shard that it should hold, and for another only when nobody took it for the time of a Lease. A holder
// that should not hold it any more drains it and gives it back, as at the end of the process. Knows no key and no work.
import { makeBell, type Bell } from "./bell.ts";
import { asError, sleep, systemClock, type Clock } from "./clock.ts";
import { makeElector, type Elector, type ElectorDeps, type ElectorMetrics, type Term } from "./elector.ts";
import { LEASES, type Lease, type LeaseSights } from "./lease.ts";
import type { Part } from "./lifecycle.ts";
import { silent, type Log } from "./log.ts";
import { makeMembers, type Members } from "./members.ts";
import { makeReflector, type Reflector } from "./reflector.ts";
import { adviceFor, holdersOf, KEEP_LEASES, type Advice } from "./shards.ts";
import { onAbort, type Signals } from "./signals.ts";

export interface SeatsDeps extends Omit<ElectorDeps, "labels" | "sights" | "onStartedLeading" | "metrics"> {
  /** What the names of all Leases begin with. */
  readonly name: string;
  readonly shards: number;
  /** On every Lease of ours, and on no other of the namespace. */
  readonly labels: Readonly<Record<string, string>>;
  /** Unique to this process, as part of a name in Kubernetes. */
  readonly member: string;
  readonly electorMetrics?: (leaseName: string) => ElectorMetrics;
  /** The work of a shard's leader, until `stop`; it comes again if the shard does. `force` is aborted too when the lease is lost. */
  readonly work: (shard: number, signals: Signals, term: Term) => Promise<void>;
}

export interface Seats extends Part {
  /** See Elector. */
  isLeading(shard: number): boolean;
}

/** The Lease of a shard. It names their number, so that replicas that count differently never take each other's for theirs. */
export function leaseNameOf(name: string, shard: number, shards: number): string {
  return shards === 1 ? name : `${name}-${shard}-of-${shards}`;
}

interface Seat {
  readonly shard: number;
  readonly elector: Elector;
  readonly bell: Bell;
  /** Ends standing and leading; a new one each time. */
  leave: AbortController;
  /** Since when another replica should hold it. */
  othersSinceMs: number | undefined;
  keptUntilMs: number;
}

interface State {
  readonly deps: SeatsDeps;
  readonly clock: Clock;
  readonly log: Log;
  readonly leaseMs: number;
  readonly lookMs: number;
  readonly watch: Reflector<Lease>;
  readonly members: Members;
  readonly seats: Seat[];
  force: AbortSignal;
}

const SETTINGS = { leaseMs: 15_000, retryMs: 2_000 };

/** Ready at once: a follower is as ready as a leader. Fails when a lease is lost or a work fails, after all others gave theirs back. */
export function makeSeats(deps: SeatsDeps): Seats {
  const { clock = systemClock, identity, labels, log = silent, member, name, namespace, shards, transport } = deps;
  const { leaseMs, retryMs } = { ...SETTINGS, ...deps.settings };
  const labelSelector = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const watch = makeReflector<Lease>({
    ...{ transport, kind: LEASES, namespace, clock, log, name: `leases ${name}` },
    labelSelector: labelSelector.join(),
  });
  const prefix = `${name}-member-of-${shards}-`;
  const place = { transport, namespace, name: `${prefix}${member}`, labels };
  const members = makeMembers({ ...place, prefix, identity, watch, leaseMs, clock, log });
  const state: State = {
    ...{ deps, clock, log, leaseMs, lookMs: retryMs, watch, members, seats: [] },
    force: new AbortController().signal,
  };
  const sights = sightsOf(watch);
  for (let shard = 0; shard < shards; shard++) state.seats.push(makeSeat(state, shard, sights));
  members.onChange(() => look(state));
  return {
    name: "leader",
    isLeading: (shard) => state.seats[shard]?.elector.isLeading() ?? false,
    run: (signals, ready) => run(state, signals, ready),
  };
}

function sightsOf(watch: Reflector<Lease>): LeaseSights {
  const listeners = new Map<string, (lease: Lease) => void>();
  watch.onChange((_, lease) => {
    if (lease) listeners.get(lease.metadata.name)?.(lease);
  });
  return { onLease: (name, listener) => void listeners.set(name, listener) };
}

function makeSeat(state: State, shard: number, sights: LeaseSights): Seat {
  const { clock, log } = state;
  const { electorMetrics, name: base, shards, work, ...election } = state.deps;
  const name = leaseNameOf(base, shard, shards);
  const metrics = electorMetrics?.(name);
  const elector = makeElector({
    ...{ ...election, name, sights, clock },
    log: (level, event, fields) => log(level, event, { shard, ...fields }),
    ...(metrics && { metrics }),
    onStartedLeading: async (term, lost) => {
      const isOurs = seat.othersSinceMs === undefined;
      seat.keptUntilMs = isOurs ? 0 : clock.monotonicMs() + KEEP_LEASES * state.leaseMs;
      await work(shard, { stop: seat.leave.signal, force: AbortSignal.any([state.force, lost]) }, term);
    },
  });
  const idle = { leave: new AbortController(), othersSinceMs: undefined, keptUntilMs: 0 };
  const seat: Seat = { shard, elector, bell: makeBell(clock), ...idle };
  return seat;
}

async function run(state: State, { force, stop }: Signals, ready: () => void): Promise<void> {
  const { members, seats, watch } = state;
  state.force = force;
  const ending = new AbortController();
  const over = new AbortController();
  const unlisten = onAbort(stop, () => ending.abort(stop.reason));
  ready();
  const beside = [watch.run(over.signal), members.run(ending.signal), keepLooking(state, ending.signal)];
  await watch.whenSynced(ending.signal).catch(() => undefined); // stopped before
  look(state);
  const ends = await Promise.allSettled(
    seats.map((seat) =>
      occupy(state, seat, { stop: ending.signal, force }).catch((error: unknown) => {
        ending.abort(asError(error)); // the others give theirs back in order
        throw error;
      }),
    ),
  );
  over.abort(new Error("no shard is held any more"));
  await Promise.all(beside);
  unlisten();
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw asError(failed.reason);
}

/** Stands and leads whenever it is for us to, until stopped. */
async function occupy(state: State, seat: Seat, { force, stop }: Signals): Promise<void> {
  const unlisten = onAbort(stop, () => {
    seat.leave.abort(stop.reason);
    seat.bell.ring();
  });
  while (!stop.aborted) {
    if (adviceOn(state, seat) !== "stand") {
      seat.bell.hush();
      await seat.bell.heard(state.lookMs);
      continue;
    }
    seat.leave = new AbortController();
    if ((await seat.elector.run({ stop: seat.leave.signal, force })) === "lost")
      throw new Error(`cannot lead shard ${seat.shard} any longer: the lease was lost`);
  }
  unlisten();
}

/** Those who fall silent are noticed by the clock alone. */
async function keepLooking(state: State, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    look(state);
    await sleep(state.clock, state.lookMs, stop).catch(() => undefined);
  }
}

function look(state: State): void {
  const { clock, deps, log, members, seats } = state;
  const present = members.present();
  const holders = holdersOf(deps.shards, present);
  for (const seat of seats) {
    const isOurs = holders[seat.shard] === deps.identity;
    seat.othersSinceMs = isOurs ? undefined : (seat.othersSinceMs ?? clock.monotonicMs());
    const advice = adviceOn(state, seat);
    if (advice === "stand") seat.bell.ring();
    if (advice !== "leave" || seat.leave.signal.aborted) continue;
    if (seat.elector.isLeading()) log("info", "leader.yielding", { shard: seat.shard, members: present.length });
    seat.leave.abort(new Error("another replica should hold the shard"));
  }
}

function adviceOn({ clock, leaseMs }: State, { elector, keptUntilMs, othersSinceMs }: Seat): Advice {
  const nowMs = clock.monotonicMs();
  return adviceFor(
    {
      isPreferred: othersSinceMs === undefined,
      isLeading: elector.isLeading(),
      othersForMs: nowMs - (othersSinceMs ?? nowMs),
      freeForMs: elector.freeForMs(),
      keepForMs: keptUntilMs - nowMs,
    },
    leaseMs,
  );
}
