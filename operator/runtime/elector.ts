// Leader election over a Lease. A Lease is no fence: a process that stood still may act for a moment longer, so whoever
// writes must be checked elsewhere too. This file makes that moment rare and short, and hands over quickly.
import { makeCandidacy, type Candidacy } from "./candidacy.ts";
import { sleep, systemClock, type Clock, type Random } from "./clock.ts";
import { makeLeadership, type Leadership } from "./leadership.ts";
import { holderOf, makeLeaseClient, type LeaseClient, type LeasePlace, type LeaseSights } from "./lease.ts";
import { silent, type Log } from "./log.ts";
import { onAbort, type Signals } from "./signals.ts";
import { standForElection } from "./standing.ts";
import type { Transport } from "./transport.ts";

export interface Term {
  readonly identity: string;
  /** How often the lease had changed hands when this term began: rises with each term. */
  readonly transitions: number;
}

/** "released": led and gave back. "stopped": ended without leading. "lost": the process should exit, not without a trace. */
export type ElectorEnd = "released" | "stopped" | "lost";

export interface Elector {
  /** True only while the lease is surely ours. Ask before each act; it costs nothing. */
  isLeading(): boolean;
  /** Whoever held the lease when it was last seen. */
  leader(): string | undefined;
  /** For how long nobody has held the lease, as far as was seen; 0 while somebody does. */
  freeForMs(): number;
  /**
   * Stands for election until stopped. While leading, the lease is renewed until the work has returned, whatever `stop`
   * says: the work hears the same signal and drains first. `force` breaks off without giving the lease back: work may
   * still run, so others must wait for its expiry. Rejects when the work rejects, after giving the lease back.
   */
  run(signals: Signals): Promise<ElectorEnd>;
}

export interface ElectorMetrics {
  leading(isLeading: boolean): void;
  slowPath(): void;
}

export interface ElectorSettings {
  /** Others wait this long after the last renewal they saw. */
  readonly leaseMs: number;
  /** The leader stops itself this long after its last renewal began. Shorter than `leaseMs`: the difference is the margin. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

export interface ElectorDeps extends LeasePlace {
  readonly transport: Transport;
  /** A watch that shows the lease also while nobody stands for it here. Default: one of its own, while it stands. */
  readonly sights?: LeaseSights;
  /** Unique to this process, not only to this pod: a restarted container must not inherit a term. */
  readonly identity: string;
  /**
   * The work of the leader, what must come before it included, such as to take a fencing epoch in a database: the lease is being
   * renewed already. `lost` is aborted when the term ends against our will.
   */
  readonly onStartedLeading: (term: Term, lost: AbortSignal) => Promise<void>;
  readonly log?: Log;
  readonly metrics?: ElectorMetrics;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly settings?: Partial<ElectorSettings>;
}

const SETTINGS: ElectorSettings = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
const JITTER = 0.2;
const RELEASE_TRIES = 3;
/** Of the renewal's deadline: short enough for another try over a new connection before it. */
const WRITE_SHARE = 0.3;

interface State {
  readonly deps: ElectorDeps;
  readonly settings: ElectorSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly client: LeaseClient;
  readonly candidacy: Candidacy;
  leadership: Leadership | undefined;
  /** Whoever stands is told when the lease is given back. */
  released: () => void;
}

/** Throws when the settings leave no margin. */
export function makeElector(deps: ElectorDeps): Elector {
  const { clock = systemClock, random = Math.random, log = silent, identity, metrics } = deps;
  const settings = { ...SETTINGS, ...deps.settings };
  checkSettings(settings);
  const client = makeLeaseClient(deps.transport, deps);
  const slowPath = (): void => metrics?.slowPath();
  const candidacy = makeCandidacy({ client, clock, identity, leaseMs: settings.leaseMs, slowPath });
  const idle = { leadership: undefined, released: () => undefined };
  const state: State = { deps, settings, clock, random, log, client, candidacy, ...idle };
  deps.sights?.onLease(deps.name, (lease) => {
    if (state.leadership) return; // what we renew we know better than a watch does
    candidacy.saw(lease);
    if (holderOf(lease) === "") state.released();
  });
  return {
    isLeading: () => state.leadership?.isValid() ?? false,
    leader: () => holderOf(candidacy.observed()) || undefined,
    freeForMs: () => (state.leadership ? 0 : candidacy.freeForMs()),
    run: (signals) => run(state, signals),
  };
}

function checkSettings({ leaseMs, renewDeadlineMs, retryMs }: ElectorSettings): void {
  if (leaseMs <= renewDeadlineMs) throw new Error("cannot elect a leader: set leaseMs above renewDeadlineMs");
  const longestWaitMs = retryMs * (1 + JITTER);
  if (renewDeadlineMs <= longestWaitMs)
    throw new Error("cannot elect a leader: set renewDeadlineMs above 1.2 × retryMs");
}

async function run(state: State, signals: Signals): Promise<ElectorEnd> {
  const { deps, settings, clock, random, log, candidacy } = state;
  const { transport, namespace, name } = deps;
  const patience = { timeoutMs: settings.renewDeadlineMs, waitMs: () => settings.retryMs * (1 + JITTER * random()) };
  const whenReleased = (ring: () => void): void => {
    state.released = ring;
  };
  const watched = deps.sights && { whenReleased };
  const graceMs = settings.renewDeadlineMs * WRITE_SHARE;
  const standing = { transport, namespace, name, candidacy, clock, log, graceMs, ...patience, ...watched };
  const won = await standForElection(standing, signals.stop);
  if (won && signals.stop.aborted) await release(state); // nobody else could take it before it expired
  if (!won || signals.stop.aborted) return "stopped";

  const leadership = makeLeadership(clock, won.sinceMs + settings.renewDeadlineMs);
  const term = { identity: deps.identity, transitions: won.lease.spec?.leaseTransitions ?? 0 };
  state.leadership = leadership;
  deps.metrics?.leading(true);
  log("info", "leader.started", { ...term });
  try {
    return await lead(state, { leadership, term, force: signals.force });
  } finally {
    leadership.end();
    state.leadership = undefined;
    deps.metrics?.leading(false);
  }
}

interface Reign {
  readonly leadership: Leadership;
  readonly term: Term;
  readonly force: AbortSignal;
}

async function lead(state: State, { leadership, term, force }: Reign): Promise<ElectorEnd> {
  const { deps, log } = state;
  const { lost } = leadership;
  const finished = new AbortController();
  const work = async (): Promise<void> => deps.onStartedLeading(term, lost);
  const unlisten = onAbort(force, () => leadership.lose("the process was told to end at once"));
  const worked = work().then(
    () => ({ failed: false }) as const,
    (error: unknown) => ({ failed: true, error }) as const,
  );
  const dismissed = new Promise<"lost">((resolve) => onAbort(lost, () => resolve("lost")));

  const renewing = renew(state, leadership, finished.signal);
  const end = await Promise.race([worked, dismissed]);
  finished.abort(new Error("the term has ended"));
  await renewing;
  unlisten();

  if (end === "lost" || !leadership.isValid()) {
    log("error", "leader.lost", { ...term, error: lost.reason });
    return "lost";
  }
  await release(state);
  log("info", "leader.released", { ...term });
  if (end.failed) throw end.error;
  return "released";
}

async function renew(state: State, leadership: Leadership, finished: AbortSignal): Promise<void> {
  const { candidacy, clock, settings, log } = state;
  const { retryMs, renewDeadlineMs } = settings;
  let waitMs = retryMs;
  // Asked after the sleep: a process that stood still meanwhile must not renew what is over.
  while ((await slept(clock, waitMs, finished)) && leadership.isValid()) {
    const timeoutMs = renewDeadlineMs * WRITE_SHARE;
    try {
      const tried = await candidacy.attempt({ signal: finished, timeoutMs });
      if (tried.outcome === "held") leadership.extend(tried.sinceMs + renewDeadlineMs);
      else leadership.lose(`the lease is held by ${tried.holder}`);
      waitMs = retryMs;
    } catch (error) {
      if (!finished.aborted) log("warn", "leader.renewal-failed", { error });
      waitMs = retryMs / 4;
    }
  }
}

function slept(clock: Clock, afterMs: number, signal: AbortSignal): Promise<boolean> {
  return sleep(clock, afterMs, signal).then(
    () => true,
    () => false,
  );
}

// A renewal cut short may have been written or not: read and try again. What fails here ends by expiry.
async function release({ candidacy, client, clock, deps, settings, log }: State): Promise<void> {
  const signal = AbortSignal.timeout(settings.renewDeadlineMs);
  try {
    let lease = candidacy.observed();
    for (let tries = 0; tries < RELEASE_TRIES && lease && holderOf(lease) === deps.identity; tries++) {
      if (await client.release(lease, clock.date(), { signal })) return;
      lease = await client.get({ signal });
    }
  } catch (error) {
    log("warn", "leader.release-failed", { error });
  }
}
