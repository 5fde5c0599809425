// The ledger: pairs of a hold and its settlement per second, beside pgbench with the very same statements; on an account for each
// client, and on one for all.
import { alternate } from "../alternate.ts";
import type { Contestant } from "../alternate.ts";
import type { Bench, BenchOptions, Report } from "../bench.ts";
import { CLIENTS, attemptOf, namespaceOf, openHall } from "./hall.ts";
import type { Hall, Heat } from "./hall.ts";
import { pair } from "./pair.ts";
import { pgbench, pgbenchVersion } from "./pgbench.ts";
import { scriptOf } from "./script.ts";

const ROUNDS = 5;
const PAIRS = 2_000;
const HEATS: readonly Heat[] = ["cold", "hot"];

export const run: Bench = async (options) => {
  const eachClient = Math.ceil((options.size ?? PAIRS) / CLIENTS);
  const version = options.bare ? undefined : await pgbenchVersion();
  const hall = await openHall(options.signal);
  try {
    const contestants = HEATS.flatMap((heat) => [
      ours(hall, heat, eachClient),
      ...(version === undefined ? [] : [theirs(hall, heat, { eachClient, signal: options.signal })]),
    ]);
    const measured = await alternate(contestants, { ...options, rounds: options.rounds ?? ROUNDS });
    return reportOf(measured, options, { eachClient, version });
  } finally {
    await hall.close();
  }
};

function ours(hall: Hall, heat: Heat, eachClient: number): Contestant<number> {
  return {
    name: `ours ${heat}`,
    run: async () => {
      const base = await hall.attempts(heat, eachClient);
      return checked(hall, eachClient, async () => {
        const begun = performance.now();
        await Promise.all(Array.from({ length: CLIENTS }, (_, client) => clientOf(client, base)));
        return (eachClient * CLIENTS * 1000) / (performance.now() - begun);
      });
    },
  };
  async function clientOf(client: number, base: number): Promise<void> {
    for (let done = 1; done <= eachClient; done += 1) {
      const attempt = attemptOf(base + client * eachClient + done);
      await pair(hall.pool, hall.fence, attempt, namespaceOf(heat, client));
    }
  }
}

function theirs(
  hall: Hall,
  heat: Heat,
  { eachClient, signal }: { readonly eachClient: number; readonly signal: AbortSignal },
): Contestant<number> {
  return {
    name: `pgbench ${heat}`,
    run: async () => {
      const script = await scriptOf(hall, heat, eachClient);
      const base = await hall.attempts(heat, eachClient);
      const url = hall.database.loginUrl;
      return checked(hall, eachClient, () => pgbench({ url, script, eachClient, base }, signal));
    },
  };
}

/** Throws unless every pair was made. */
async function checked(hall: Hall, eachClient: number, work: () => Promise<number>): Promise<number> {
  const before = await hall.resolved();
  const perSecond = await work();
  const made = (await hall.resolved()) - before;
  if (made !== eachClient * CLIENTS) throw new Error(`${made} pairs were made, expected ${eachClient * CLIENTS}`);
  return perSecond;
}

function reportOf(
  measured: ReadonlyMap<string, readonly number[]>,
  { bare }: BenchOptions,
  { eachClient, version }: { readonly eachClient: number; readonly version: string | undefined },
): Report {
  const of = (name: string): readonly number[] => measured.get(name) ?? [];
  const pgbenchOf = (heat: Heat) => (bare ? {} : { pgbench: of(`pgbench ${heat}`) });
  const result = { unit: "pairs/s", better: "more" } as const;
  return {
    bench: "ledger",
    setUp: [
      `A pair is two transactions: a hold of a tenant's credits, and its settlement. ${CLIENTS} clients, ${eachClient * CLIENTS} pairs a round.`,
      "Postgres writes to the disk at each commit (fsync on), beside its clients on one machine.",
      ...(version === undefined ? [] : [`${version} runs the statements that were recorded from one of our pairs.`]),
    ],
    results: [
      {
        ...result,
        measure: "an account for each client",
        ours: of("ours cold"),
        baselines: pgbenchOf("cold"),
        required: [{ against: "pgbench", times: 0.8 }],
      },
      {
        ...result,
        measure: "one account for all",
        ours: of("ours hot"),
        baselines: { ...pgbenchOf("hot"), "an account each": of("ours cold") },
        required: [
          { against: "pgbench", times: 0.8 },
          { against: "an account each", times: 0.6 },
        ],
      },
    ],
  };
}
