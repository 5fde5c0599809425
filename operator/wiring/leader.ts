// What only the leader does: take a new epoch, then reconcile tasks and grants and keep house, until it is told to stop
// or loses the lease. A lost lease breaks everything off at once; the fence in Postgres covers what was still on its way.
import { hostname } from "node:os";
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { Config } from "../config.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { acquireEpoch } from "../postgres/fence.ts";
import type { Fence } from "../postgres/fence.ts";
import type { Controller } from "../runtime/controller.ts";
import type { Part } from "../runtime/lifecycle.ts";
import type { RuntimeMetrics } from "../runtime/metrics.ts";
import { leaderPart } from "../runtime/parts.ts";
import type { LeaderPart, LeaderPartDeps } from "../runtime/parts.ts";
import type { Signals } from "../runtime/signals.ts";
import type { Transport } from "../runtime/transport.ts";
import type { Epoch } from "../task/brand.ts";
import { untilItWorks } from "./patience.ts";

export interface Leadership {
  readonly fence: Fence;
  readonly isLeading: () => boolean;
  /** The part that stands for election and leads. `work` is run while it leads. */
  part(work: LeaderWork): Part;
}

export interface LeaderWork {
  readonly controllers: readonly Controller[];
  /** Runs beside the controllers, until `stop`. */
  readonly janitor: (signal: AbortSignal) => Promise<void>;
}

export interface LeadershipDeps {
  readonly config: Config;
  readonly transport: Transport;
  readonly pool: Pool;
  readonly metrics: Metrics;
  readonly runtimeMetrics: RuntimeMetrics;
  readonly log: Log;
}

export function makeLeadership(deps: LeadershipDeps): Leadership {
  // Unique to this process: a restarted container must not inherit the term of the one before.
  const identity = `${deps.config.POD_NAME ?? hostname()}_${randomUUID()}`;
  const state: { epoch: Epoch | undefined; leader: LeaderPart | undefined } = { epoch: undefined, leader: undefined };
  const hold = (epoch: Epoch | undefined): void => {
    state.epoch = epoch;
    deps.metrics.set("epoch", {}, Number(epoch ?? 0n));
  };
  return {
    fence: () => state.epoch,
    isLeading: () => state.leader?.isLeading() ?? false,
    part: (work) => {
      const election = { ...electionOf(deps), identity };
      state.leader = leaderPart({ ...election, work: (signals) => lead(deps, { identity, hold, work }, signals) });
      return state.leader;
    },
  };
}

function electionOf({
  config,
  log,
  runtimeMetrics,
  transport,
}: LeadershipDeps): Omit<LeaderPartDeps, "identity" | "work"> {
  return {
    transport,
    log,
    namespace: config.OPERATOR_NAMESPACE,
    name: config.LEASE_NAME,
    metrics: runtimeMetrics.elector(config.LEASE_NAME),
    settings: {
      leaseMs: config.LEASE_DURATION_SECONDS * 1000,
      renewDeadlineMs: config.LEASE_RENEW_DEADLINE_SECONDS * 1000,
      retryMs: config.LEASE_RETRY_SECONDS * 1000,
    },
  };
}

interface Reign {
  readonly identity: string;
  readonly hold: (epoch: Epoch | undefined) => void;
  readonly work: LeaderWork;
}

/** First the epoch, then the work: without it the fence lets nothing be written. */
async function lead({ log, pool }: LeadershipDeps, { hold, identity, work }: Reign, signals: Signals): Promise<void> {
  const until = AbortSignal.any([signals.stop, signals.force]);
  const acquire = (signal: AbortSignal): Promise<Epoch> => acquireEpoch(pool, identity, signal);
  hold(await untilItWorks("the epoch in Postgres", acquire, { log, signal: until }));
  try {
    await Promise.all([...work.controllers.map((controller) => controller.run(signals)), work.janitor(until)]);
  } finally {
    hold(undefined);
  }
}
