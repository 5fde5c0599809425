// I5 under load while the database misbehaves: backends that are killed, a window in which nothing can be written, a single
// connection. What was acknowledged is there, once; the sums stay.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PostgresFault } from "../../../operator/postgres/faults.ts";
import { complaintsOf, runOffice } from "./clerks.ts";
import type { Office } from "./clerks.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { until } from "./watch.ts";

const GRANTED = 2_000n;
const SEED = 7;
const LIMIT_MS = 120_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

interface Disturbed {
  readonly namespace: string;
  readonly maxConnections?: number;
  /** Called again and again while the clerks work. */
  readonly disturb: (desk: Desk) => Promise<void>;
  /** Until so many disturbances were had. */
  readonly times: number;
}

/** Eight clerks on two accounts while something goes wrong; then everything is as it was told. */
async function disturbed({ disturb, maxConnections = 20, namespace, times }: Disturbed): Promise<Office> {
  const accounts = [`${namespace}-one`, `${namespace}-two`];
  const mine = await openDesk(database.pool({ maxConnections }));
  for (const account of accounts) await mine.grant(account, GRANTED);
  const state = { had: 0 };
  const goesOn = (jobs: number): boolean => state.had < times || jobs < 3;
  const working = runOffice({ desk: mine, accounts, clients: 8, seed: SEED, goesOn });
  const disturbing = (async () => {
    for (; state.had < times; state.had += 1) await disturb(mine);
  })();
  const [office] = await Promise.all([working, disturbing]);
  expect(await complaintsOf(mine, office, GRANTED)).toEqual([]);
  return office;
}

const backendsOfTheLogin = `from pg_stat_activity where datname = current_database() and usename = 'genop_books_login'`;

describe("I5 under load", () => {
  test(
    "I5: whichever backend is killed, whenever: nothing acknowledged is lost, and nothing is there twice",
    async () => {
      const office = await disturbed({
        namespace: "reaped",
        times: 25,
        disturb: () =>
          database.asSuperuser(async (client) => {
            await client.query(`select pg_terminate_backend(pid) ${backendsOfTheLogin} order by random() limit 2`);
          }),
      });
      expect(office.counts.nothing + office.counts.unknown).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  test(
    "I5: a window in which nothing can be written passes, and what was told before and after it is so",
    async () => {
      const setReadOnly = (to: "on" | "off") =>
        database.asSuperuser(async (client) => {
          await client.query(
            `do $$ begin execute format('alter role genop_books_login in database %I set default_transaction_read_only = ${to}', current_database()); end $$`,
          );
          // Sessions have it from their beginning on.
          await client.query(`select pg_terminate_backend(pid) ${backendsOfTheLogin}`);
        });
      const office = await disturbed({
        namespace: "closed",
        times: 2,
        disturb: async (desk) => {
          await setReadOnly("on");
          await until(() =>
            desk.grant("closed-probe", 1n).then(
              () => false,
              (error: unknown) => error instanceof PostgresFault && error.sqlState === "25006",
            ),
          );
          await setReadOnly("off");
          await until(() =>
            desk
              .grant("closed-probe", 1n)
              .then(() => true)
              .catch(() => false),
          );
        },
      });
      expect(office.counts.nothing).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  test(
    "I5: with one connection for all, backends killed among them, everything ends, and as told",
    async () => {
      await disturbed({
        namespace: "single",
        maxConnections: 1,
        times: 10,
        disturb: () =>
          database.asSuperuser(async (client) => {
            await client.query(`select pg_terminate_backend(pid) ${backendsOfTheLogin}`);
          }),
      });
    },
    LIMIT_MS,
  );
});
