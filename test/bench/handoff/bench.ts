// `npm run bench -- handoff`: how long nobody works when the leader goes, and what one does that comes back. Judged by the times and terms
// of the database's own rows.
import type { Bench, BenchOptions, Result } from "../bench.ts";
import { percentileOf } from "../figures.ts";
import { freezeLeader, killLeader, stopLeader, type Handoff, type Scene } from "./handoffs.ts";
import { LEASE, makeReplicas } from "./replicas.ts";
import { beginWork } from "./work.ts";

const ROUNDS = 25;
/** Half of what two cores carry: with all of it, a gap would be the wait for a core. */
const TASKS_PER_SECOND = 5;
/** Each of these waits for a lease to expire. */
const EXPIRIES_PER_ROUND = 0.2;
const GRACEFUL_MS = 300;
const BEYOND_LEASE_MS = 2000;

export const run: Bench = async (options) => {
  const { rounds = ROUNDS, size = TASKS_PER_SECOND } = options;
  const expiries = Math.max(1, Math.round(rounds * EXPIRIES_PER_ROUND));
  const graceful = await play(options, size, { name: "graceful", times: rounds, act: stopLeader });
  const killed = await play(options, size, { name: "killed", times: expiries, act: killLeader });
  const frozen = await play(options, size, { name: "frozen", times: expiries, act: freezeLeader, isListenedTo: true });
  return {
    bench: "handoff",
    setUp: [
      `Two replicas; ${size} new tasks a second, each with a submit, an output and its removal; lease of ${LEASE.durationSeconds} s.`,
      "A gap is from the last row of the old term to the first of the new one, both by the database's clock: postings of the ledger and submits.",
      `${rounds} graceful handoffs, ${expiries} by SIGKILL, ${expiries} by SIGSTOP beyond the lease. With so few, the 99th percentile is the worst one.`,
      "A frozen leader is heard at the API server by a proxy before it; after its SIGCONT it may read.",
    ],
    results: [
      gaps("gap when the leader is told to stop", graceful, GRACEFUL_MS),
      gaps("gap when it is killed", killed, LEASE.durationSeconds * 1000 + BEYOND_LEASE_MS),
      spacing("the work's own spacing, 99th percentile", [...graceful, ...killed], 0.99),
      spacing("the work's own spacing, longest", [...graceful, ...killed], 1),
      never(
        "rows of a thawed leader",
        frozen.map(({ rows }) => rows),
      ),
      never(
        "writes of a thawed leader to objects of the API server",
        frozen.map(({ apiWrites }) => apiWrites),
      ),
      never(
        "its tries to renew the lease that another holds",
        frozen.map(({ leaseTries }) => leaseTries),
      ),
      told(
        "events of what it had done before, sent late",
        frozen.map(({ lateEvents }) => lateEvents),
      ),
      never(
        "submits without a mark",
        frozen.map(({ unmarkedSubmits }) => unmarkedSubmits),
      ),
      never(
        "thawed leaders that ended as if all was well",
        frozen.map(({ exitCode }) => (exitCode === 0 ? 1 : 0)),
      ),
    ],
  };
};

interface Play<T> {
  readonly name: string;
  readonly times: number;
  readonly act: (scene: Scene) => Promise<T>;
  readonly isListenedTo?: boolean;
}

/** So often, one after the other, in one environment. */
async function play<T>(
  { say, signal }: BenchOptions,
  perSecond: number,
  { act, isListenedTo = false, name, times }: Play<T>,
): Promise<readonly T[]> {
  const work = await beginWork(perSecond, signal);
  const replicas = makeReplicas(work.installation, signal);
  try {
    await replicas.add({ isListenedTo });
    await replicas.add({ isListenedTo });
    const ends: T[] = [];
    for (let time = 1; time <= times; time += 1) {
      signal.throwIfAborted();
      ends.push(await Promise.race([act({ work, replicas }), work.failed]));
      say(`${name}: ${time} of ${times}`);
    }
    return ends;
  } finally {
    await replicas.stop();
    await work.stop();
  }
}

function gaps(measure: string, handoffs: readonly Handoff[], limit: number): Result {
  const ours = handoffs.map(({ gapMs }) => gapMs);
  return { ...{ measure, unit: "ms", better: "less", ours, baselines: {} }, required: [{ limit, of: "worst" }] };
}

function spacing(measure: string, handoffs: readonly Handoff[], share: number): Result {
  const ours = handoffs.map(({ spacingsMs }) => percentileOf(spacingsMs, share));
  return { measure, unit: "ms", better: "less", ours, baselines: {}, required: [] };
}

function told(measure: string, ours: readonly number[]): Result {
  return { measure, unit: "", better: "less", ours, baselines: {}, required: [] };
}

function never(measure: string, ours: readonly number[]): Result {
  return { ...{ measure, unit: "", better: "less", ours, baselines: {} }, required: [{ limit: 0, of: "worst" }] };
}
