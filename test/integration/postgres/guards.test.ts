// Every guard of the schema is there and does what it is for: what breaks it, and nothing else, is refused in its name. The
// catalogue says which guards there are, so that none is added without such a test.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { CASES, FACTS, MADE, fillDatabase, isMet, refusalOf } from "./guard-cases.ts";
import { IMPLIED, OWN, REFERENCES } from "./guards.ts";
import { STOPS } from "./stops.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase();
  await fillDatabase(database);
});
afterAll(() => database.close());

describe("I5 what the schema refuses", () => {
  test.each(CASES)("I5: $name", async (one) => {
    const found = await database.asSuperuser(async (client) => {
      await client.query("begin");
      return refusalOf(client, one);
    });
    expect([found, isMet(one, found)]).toEqual([found, true]);
  });

  test("I5: every constraint, unique index and trigger of the catalogue has its case", async () => {
    const guards = await names(`
      select conname from pg_constraint where connamespace = 'genop'::regnamespace and contype in ('c', 'f', 'p', 'u')
      union select index.relname from pg_index join pg_class index on index.oid = indexrelid
       where index.relnamespace = 'genop'::regnamespace and indisunique`);
    expect([...Object.keys(OWN), ...Object.keys(REFERENCES), ...IMPLIED].sort()).toEqual(guards);
    const triggers = await names(`
      select own.relname || '.' || tgname from pg_trigger join pg_class own on own.oid = tgrelid
       where own.relnamespace = 'genop'::regnamespace and not tgisinternal and tgname not like 'immutable%'`);
    expect([...new Set([...STOPS.map(({ trigger }) => trigger), ...Object.keys(MADE)])].sort()).toEqual(triggers);
    const facts = await names(`select relname from pg_trigger join pg_class own on own.oid = tgrelid
      where tgname in ('immutable', 'immutable_whole')`);
    expect(Object.keys(FACTS).sort()).toEqual(facts);
  });
});

async function names(query: string): Promise<readonly string[]> {
  return database.asSuperuser(async (client) => {
    const { rows } = await client.query<{ name: string }>(`select name from (${query}) as found (name)`);
    return [...new Set(rows.map(({ name }) => name))].sort();
  });
}
