// I5 while Postgres itself goes and comes: restarted again and again, killed, replaced by a replica that lost nothing. In an
// environment of its own, whose commits reach the disk.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout as pause } from "node:timers/promises";
import { startEnvironment } from "../../env/environment.ts";
import type { Environment } from "../../env/environment.ts";
import { complaintsOf, runOffice } from "./clerks.ts";
import type { Office } from "./clerks.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { startReplica } from "./replica.ts";
import { until } from "./watch.ts";

// `npm run test:database-faults` restarts every three seconds for a minute; here it is the same, fewer times.
const RESTARTS = Number(process.env.GENOP_RESTARTS ?? 2);
const EVERY_MS = Number(process.env.GENOP_RESTART_EVERY_MS ?? 0);
const GRANTED = 5_000n;
const CLIENTS = 8;
const JOBS_BETWEEN = 10;
const SEED = 11;
const LIMIT_MS = 300_000;

let environment: Environment;
let database: TestDatabase;
beforeAll(async () => {
  environment = await startEnvironment({ controlPlane: false, s3: false, provider: false, postgres: { fsync: true } });
  database = await openDatabase({ environment });
  // A copy of a template believes that its sequences' next values are logged, and after a crash gives them out again. The first
  // ones after a checkpoint are logged anew. A database that was migrated where it is has no such past.
  await database.asSuperuser((client) => client.query("checkpoint"));
}, LIMIT_MS);
afterAll(() => environment.stop(), LIMIT_MS);

interface Load {
  /** How many jobs were taken on so far, by all clerks together. */
  readonly jobs: () => number;
  /** Lets the clerks end what they have begun, and checks that all is as they were told. */
  finish(): Promise<Office>;
}

async function load(desk: Desk, name: string): Promise<Load> {
  const accounts = [`${name}-one`, `${name}-two`];
  for (const account of accounts) await desk.grant(account, GRANTED);
  const state = { goesOn: true, jobs: 0 };
  const goesOn = (): boolean => {
    state.jobs += 1;
    return state.goesOn;
  };
  const working = runOffice({ desk, accounts, clients: CLIENTS, seed: SEED, goesOn });
  return {
    jobs: () => state.jobs,
    finish: async () => {
      state.goesOn = false;
      const office = await working;
      expect(await complaintsOf(desk, office, GRANTED)).toEqual([]);
      return office;
    },
  };
}

async function moreJobs(loads: readonly Load[]): Promise<void> {
  for (const one of loads) {
    const enough = one.jobs() + JOBS_BETWEEN;
    await until(() => Promise.resolve(one.jobs() >= enough), 60_000);
  }
}

describe("I5 outages of Postgres", () => {
  test(
    "I5: restarted again and again under load, in good order and by SIGKILL: nothing acknowledged is lost or doubled",
    async () => {
      const many = await openDesk(database.pool({ maxConnections: 10 }));
      const loads = [
        await load(many, "restarted"),
        await load(await openDesk(database.pool({ maxConnections: 1 }), many.epoch), "single"),
      ];
      const postgres = environment.part("postgres");
      for (let restart = 0; restart < RESTARTS; restart += 1) {
        await Promise.all([moreJobs(loads), pause(EVERY_MS)]);
        await (restart % 2 === 0 ? postgres.kill() : postgres.stop());
        await postgres.start();
      }
      await moreJobs(loads);
      const offices = [];
      for (const one of loads) offices.push(await one.finish());
      const failed = offices.reduce((sum, { counts }) => sum + counts.nothing + counts.unknown, 0);
      const settled = offices.reduce((sum, office) => sum + office.settled.length, 0);
      console.log(`${RESTARTS} restarts, ${settled} jobs settled, ${failed} calls failed on the way`);
      expect(failed).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  test(
    "I5: the primary is killed and a replica that lost nothing takes its place: what was acknowledged is there, once",
    async () => {
      const proxy = await startFaultProxy(database.loginUrl);
      try {
        const replica = await startReplica(environment);
        const desk = await openDesk(database.pool({ url: proxy.through(database.loginUrl), maxConnections: 10 }));
        const working = await load(desk, "failover");
        await moreJobs([working]);
        await environment.part("postgres").kill();
        await replica.promote();
        proxy.turnTo(replica.port);
        await moreJobs([working]);
        const office = await working.finish();
        expect(office.counts.nothing + office.counts.unknown).toBeGreaterThan(0);
      } finally {
        await proxy.close();
      }
    },
    LIMIT_MS,
  );
});
