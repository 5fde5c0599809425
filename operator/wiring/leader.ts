// What only the leader of a shard does: take a new epoch, then reconcile the shard's tasks and grants and keep house, until it is
// told to stop or loses the lease. A lost lease breaks everything off at once; the fence in Postgres covers what was on its way.
import { hostname } from "node:os";
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { Config } from "../config.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { acquireEpoch, shardsInForce } from "../postgres/fence.ts";
import type { Fence } from "../postgres/fence.ts";
import type { Controller } from "../runtime/controller.ts";
import type { Part } from "../runtime/lifecycle.ts";
import type { RuntimeMetrics } from "../runtime/metrics.ts";
import { leaderPart } from "../runtime/parts.ts";
import type { LeaderPartDeps } from "../runtime/parts.ts";
import { leaseNameOf, makeSeats } from "../runtime/seats.ts";
import type { Signals } from "../runtime/signals.ts";
import type { Transport } from "../runtime/transport.ts";
import { untilVacant } from "../runtime/vacancy.ts";
import type { Epoch } from "../task/brand.ts";
import { untilItWorks } from "./patience.ts";

export interface Leadership {
  /** Whether this process leads the shard. */
  readonly isLeading: (shard: number) => boolean;
  /** The part that stands for election and leads. The work of each shard, by its index, is run while it leads that. */
  part(works: readonly LeaderWork[]): Part;
}

export interface LeaderWork {
  readonly controllers: readonly Controller[];
  /** A new term: makes anew what belongs to one. Answers what runs beside the controllers, until `stop`. */
  begin(fence: Fence): (stop: AbortSignal) => Promise<void>;
}

export interface LeadershipDeps {
  readonly config: Config;
  readonly transport: Transport;
  readonly pool: Pool;
  readonly metrics: Metrics;
  readonly runtimeMetrics: RuntimeMetrics;
  readonly log: Log;
}

/** On every Lease of a sharded installation: its value is LEASE_NAME. */
const LEASE_LABEL = "genop.dev/lease";

export function makeLeadership(deps: LeadershipDeps): Leadership {
  const { config, metrics } = deps;
  // Unique to this process: a restarted container must not inherit the term of the one before.
  const member = randomUUID();
  const identity = `${config.POD_NAME ?? hostname()}_${member}`;
  let isLeading: Leadership["isLeading"] = () => false;
  for (let shard = 0; shard < config.SHARDS; shard++) metrics.set("epoch", { shard: String(shard) }, 0);
  return {
    isLeading: (shard) => isLeading(shard),
    part: (works) => {
      const standing = makeStanding(deps, { identity, member }, (shard, signals) => {
        const work = works[shard];
        if (!work) throw new Error(`cannot lead shard ${shard}: it has no work`);
        return lead(deps, { identity, shard, work }, signals);
      });
      ({ isLeading } = standing);
      return standing;
    },
  };
}

type Work = (shard: number, signals: Signals) => Promise<void>;

/** One shard is led without anything that only several need: no members, and the Lease that there always was. */
function makeStanding(
  deps: LeadershipDeps,
  { identity, member }: { readonly identity: string; readonly member: string },
  work: Work,
): Part & Pick<Leadership, "isLeading"> {
  const { config, runtimeMetrics } = deps;
  const election = { ...electionOf(deps), identity };
  if (config.SHARDS === 1) {
    const metrics = runtimeMetrics.elector(config.LEASE_NAME);
    return leaderPart({ ...election, metrics, work: (signals) => work(0, signals) });
  }
  return makeSeats({
    ...{ ...election, member, shards: config.SHARDS, labels: { [LEASE_LABEL]: config.LEASE_NAME }, work },
    electorMetrics: (name) => runtimeMetrics.elector(name),
  });
}

function electionOf({ config, log, transport }: LeadershipDeps): Omit<LeaderPartDeps, "identity" | "work"> {
  return {
    transport,
    log,
    namespace: config.OPERATOR_NAMESPACE,
    name: config.LEASE_NAME,
    settings: {
      leaseMs: config.LEASE_DURATION_SECONDS * 1000,
      renewDeadlineMs: config.LEASE_RENEW_DEADLINE_SECONDS * 1000,
      retryMs: config.LEASE_RETRY_SECONDS * 1000,
    },
  };
}

interface Reign {
  readonly identity: string;
  readonly shard: number;
  readonly work: LeaderWork;
}

/** First the epoch, then the work: without it the fence lets nothing be written. */
async function lead(deps: LeadershipDeps, { identity, shard, work }: Reign, signals: Signals): Promise<void> {
  const { log, metrics } = deps;
  const until = AbortSignal.any([signals.stop, signals.force]);
  const acquire = (signal: AbortSignal): Promise<Epoch> => beginTerm(deps, identity, shard, signal);
  const epoch = await untilItWorks("the epoch in Postgres", acquire, { log, signal: until }).catch((error: unknown) => {
    if (signals.force.aborted || !signals.stop.aborted) throw error;
  });
  if (epoch === undefined) return; // told to stop before it had begun
  log("info", "leader.term", { shard, epoch: epoch.toString() });

  const superseded = new AbortController();
  const why = `cannot lead shard ${shard} any longer: a later term began in Postgres; do all replicas have the same SHARDS?`;
  let held: Epoch | undefined = epoch;
  const fence: Fence = Object.assign(() => held, { shard, superseded: () => superseded.abort(new Error(why)) });
  const force = AbortSignal.any([signals.force, superseded.signal]);
  const beside = work.begin(fence);
  metrics.set("epoch", { shard: String(shard) }, Number(epoch));
  try {
    const running = work.controllers.map((controller) => controller.run({ stop: signals.stop, force }));
    await Promise.all([...running, beside(AbortSignal.any([signals.stop, force]))]);
  } finally {
    held = undefined;
    metrics.set("epoch", { shard: String(shard) }, 0);
  }
  superseded.signal.throwIfAborted();
}

/** Replicas that count shards differently do not take each other's terms away: whoever comes second waits until the first are gone. */
async function beginTerm(
  { config, log, pool, transport }: LeadershipDeps,
  identity: string,
  shard: number,
  signal: AbortSignal,
): Promise<Epoch> {
  const shards = config.SHARDS;
  const others = await shardsInForce(pool, signal);
  if (others !== shards) {
    log("warn", "leader.waits-for-others", { shard, shards, others });
    const names = Array.from({ length: others }, (_, other) => leaseNameOf(config.LEASE_NAME, other, others));
    const [pollMs, leaseMs] = [config.LEASE_RETRY_SECONDS * 1000, config.LEASE_DURATION_SECONDS * 1000];
    await untilVacant({ transport, namespace: config.OPERATOR_NAMESPACE, names, pollMs, leaseMs, log }, signal);
  }
  return acquireEpoch(pool, identity, signal, { shard, shards });
}
