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
import { makeElector } from "../runtime/elector.ts";
import type { Elector } from "../runtime/elector.ts";
import type { Part } from "../runtime/lifecycle.ts";
import type { RuntimeMetrics } from "../runtime/metrics.ts";
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
  const term: { epoch: Epoch | undefined; elector: Elector | undefined } = { epoch: undefined, elector: undefined };
  const hold = (epoch: Epoch | undefined): void => {
    term.epoch = epoch;
    deps.metrics.set("epoch", {}, Number(epoch ?? 0n));
  };
  return {
    fence: () => term.epoch,
    isLeading: () => term.elector?.isLeading() ?? false,
    part: (work) => ({
      name: "leader",
      run: async (signals, ready) => {
        term.elector = electorOf(deps, { identity, hold, work, signals });
        // Ready without leading: a follower with warm caches is as ready as a leader.
        ready();
        const end = await term.elector.run(signals);
        if (end === "lost") throw new Error("the lease was lost: another process leads now");
      },
    }),
  };
}

interface Candidate {
  readonly identity: string;
  readonly hold: (epoch: Epoch | undefined) => void;
  readonly work: LeaderWork;
  readonly signals: Signals;
}

function electorOf({ config, log, pool, runtimeMetrics, transport }: LeadershipDeps, candidate: Candidate): Elector {
  const { hold, identity, signals, work } = candidate;
  return makeElector({
    transport,
    log,
    identity,
    namespace: config.OPERATOR_NAMESPACE,
    name: config.LEASE_NAME,
    metrics: runtimeMetrics.elector(config.LEASE_NAME),
    settings: {
      leaseMs: config.LEASE_DURATION_SECONDS * 1000,
      renewDeadlineMs: config.LEASE_RENEW_DEADLINE_SECONDS * 1000,
      retryMs: config.LEASE_RETRY_SECONDS * 1000,
    },
    beforeLeading: async (_term, lost) => {
      const until = AbortSignal.any([lost, signals.stop]);
      hold(await untilItWorks("the epoch in Postgres", (signal) => acquireEpoch(pool, identity, signal), log, until));
    },
    onStartedLeading: async (_term, lost) => {
      try {
        await lead(work, { stop: signals.stop, force: AbortSignal.any([signals.force, lost]) });
      } finally {
        hold(undefined);
      }
    },
  });
}

async function lead({ controllers, janitor }: LeaderWork, signals: Signals): Promise<void> {
  const housekeeping = janitor(AbortSignal.any([signals.stop, signals.force]));
  await Promise.all([...controllers.map((controller) => controller.run(signals)), housekeeping]);
}
