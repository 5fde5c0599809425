// Statements whose plans a connection keeps: they are kept, and outlive what a migration or a server's DBA does beside them.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { micro } from "../../../operator/task/credits.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NOT_CREATED, openDesk, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";

let database: TestDatabase;
let desk: Desk;
beforeAll(async () => {
  database = await openDatabase();
  desk = await openDesk(database.pool({ maxConnections: 1 }));
  await desk.grant("studio", 1_000_000n);
});
afterAll(() => database.close());

async function live(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const ready = await desk.ready(wish());
    await desk.books.end(ready, { ...NOT_CREATED, reason: "Succeeded", charge: micro(50n) }, []);
  }
}

async function kept(): Promise<readonly string[]> {
  const { rows } = await desk.pool.query<{ name: string; planned: boolean }>(
    "select name, generic_plans > 0 as planned from pg_prepared_statements order by name",
  );
  return rows.map(({ name, planned }) => `${name}${planned ? "" : ", planned anew each time"}`);
}

const NAMES = [
  "end_attempt",
  "insert_attempt",
  "load_task",
  "mark_accepted",
  "mark_ready",
  "mark_sent",
  "post_entries",
];

test("what every task runs is planned once for a connection, and not for each task", async () => {
  await live(10);
  expect(await kept()).toEqual(NAMES);
});

test("a column more in every table, as a migration beside a running leader makes, changes nothing for a connection that has its plans", async () => {
  await database.asSuperuser(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'genop'::regnamespace and relkind in ('r', 'p')",
    );
    for (const { name } of rows) await client.query(`alter table genop.${name} add column of_a_later_version text`);
  });
  await live(2);
  expect(await kept()).toEqual(NAMES);
  expect(await desk.problems()).toEqual([]);
});

test("a connection that has lost its plans is given up at the first word of it, and the next one goes on", async () => {
  await desk.pool.query("deallocate all");
  await expect(live(1)).rejects.toMatchObject({ sqlState: "26000" });
  await live(2);
  expect(await desk.problems()).toEqual([]);
});
