// Every guard of the schema is there and does what it is for: what breaks it, and nothing else, is refused in its name. The
// catalogue says which guards there are, so that none is added without such a test.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sealLedger } from "../../../operator/postgres/seal.ts";
import { micro } from "../../../operator/task/credits.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, NOT_CREATED, openDesk } from "./desk.ts";
import { IMPLIED, OWN, REFERENCES, statementOf } from "./guards.ts";
import { STOPS } from "./stops.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase();
  const desk = await openDesk(database.pool());
  await desk.grant("studio", 10_000n);
  await desk.books.end(await desk.accepted(), { ...NOT_CREATED, reason: "JobFailed", charge: micro(10n) }, []);
  await desk.sent();
  await desk.begun();
  await sealLedger(desk.pool, () => desk.epoch, NEVER);
  await database.asSuperuser((client) => client.query(ONE_OF_EACH));
});
afterAll(() => database.close());

const ONE_OF_EACH = `
insert into genop.installation (cluster_uid) values ('here');
insert into genop.assets (attempt_id, position, name, uri, media_type, bytes, sha256)
  select id, 0, 'one', '', '', 0, repeat('a', 64) from genop.attempts limit 1;
insert into genop.claims (attempt_id, job_id) select id, 'one' from genop.attempts limit 1;
insert into genop.webhook_inbox (attempt_id, digest, headers, body) select id, 'one', '{}', '' from genop.attempts limit 1`;

interface Refusal {
  readonly code: string;
  readonly constraint: string | undefined;
}

/** What is refused first, in a transaction that never commits. */
async function refusal(...statements: readonly string[]): Promise<Refusal | "accepted"> {
  return database.asSuperuser(async (client) => {
    await client.query("begin");
    try {
      for (const statement of statements) await client.query(statement);
      return "accepted";
    } catch (error) {
      const { code, constraint } = error as Refusal;
      return { code, constraint };
    } finally {
      await client.query("rollback");
    }
  });
}

const AS_REPLICA = "set local session_replication_role = replica";

describe("I5 what the schema refuses", () => {
  test.each(Object.entries(OWN))("I5: %s", async (constraint, breach) => {
    const found = await refusal(breach.before ?? "", AS_REPLICA, statementOf(breach));
    expect(found).toMatchObject({ constraint });
  });

  test.each(Object.entries(REFERENCES))("I5: %s", async (constraint, breach) => {
    expect(await refusal(breach.before ?? "", statementOf(breach))).toMatchObject({ constraint });
  });

  test.each(STOPS)("I5: $trigger stops what it is for (as a replica: $asReplica)", async (stop) => {
    const { asReplica, sqlState, statements } = stop;
    expect(await refusal(asReplica ? AS_REPLICA : "", statements)).toMatchObject({ code: sqlState });
  });

  test("I5: accounts.accounts_open gives a tenant's account its balance", async () => {
    const opened = `insert into genop.accounts (namespace, kind) values ('opened', 'held');
      select 1 / count(*) from genop.balances join genop.accounts on id = account_id where namespace = 'opened'`;
    expect(await refusal(opened)).toBe("accepted");
  });

  test("I5: facts are neither changed, deleted nor truncated, even by a superuser as a replica", async () => {
    const tables = await names(`select relname from pg_trigger join pg_class own on own.oid = tgrelid
      where tgname in ('immutable', 'immutable_whole')`);
    expect(tables).toEqual(FACTS);
    for (const table of FACTS) {
      for (const mode of ["", AS_REPLICA]) {
        for (const statement of [
          `update genop.${table} set ${await columnOf(table)} = default`,
          `delete from genop.${table}`,
          `truncate genop.${table} cascade`,
        ])
          expect([statement, await refusal(mode, statement)]).toMatchObject([statement, { code: "GN001" }]);
      }
    }
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
    expect([...new Set([...STOPS.map(({ trigger }) => trigger), "accounts.accounts_open"])].sort()).toEqual(triggers);
  });
});

const FACTS = [
  "accounts",
  "entries",
  "grants",
  "hold_resolutions",
  "holds",
  "ledger_assets",
  "ledger_blocks",
  "ledger_transactions",
];

async function names(query: string): Promise<readonly string[]> {
  return database.asSuperuser(async (client) => {
    const { rows } = await client.query<{ name: string }>(`select name from (${query}) as found (name)`);
    return [...new Set(rows.map(({ name }) => name))].sort();
  });
}

async function columnOf(table: string): Promise<string> {
  const [name = ""] = await names(
    `select attname from pg_attribute where attrelid = 'genop.${table}'::regclass and attnum > 0`,
  );
  return name;
}
