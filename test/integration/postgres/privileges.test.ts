// I5: nobody changes a fact. Tried by the application's role, by the tables' owner, and by a superuser in a replica's clothes.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import { NEVER, NOT_CREATED, openDesk, wish } from "./desk.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";

const FACTS = ["ledger_assets", "accounts", "ledger_transactions", "entries", "holds", "hold_resolutions", "grants"];
const FORBIDDEN = "42501";
const IMMUTABLE = "GN001";

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase();
  const desk = await openDesk(database.pool());
  await desk.grant("studio", 1000n);
  await desk.books.end(await desk.begun(), NOT_CREATED, []);
});
afterAll(() => database.close());

/** The SQLSTATE of what is refused first, in a session of its own. */
async function refusal(url: string, ...statements: readonly string[]): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
    return "accepted";
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await client.end();
  }
}

describe.each(FACTS)("I5 facts in %s", (table) => {
  test("I5: the application may not update, delete, truncate or lock rows", async () => {
    const column = await firstColumn(table);
    for (const statement of [
      `update genop.${table} set ${column} = ${column}`,
      `delete from genop.${table}`,
      `truncate genop.${table}`,
      `select * from genop.${table} for update`,
    ])
      expect([statement, await refusal(database.loginUrl, statement)]).toEqual([statement, FORBIDDEN]);
  });

  test.each(["owner", "superuser", "superuser as a replica"])(
    "I5: even the %s is stopped by a trigger",
    async (who) => {
      const column = await firstColumn(table);
      const url = who === "owner" ? database.ownerUrl : database.superuserUrl;
      const before = who === "superuser as a replica" ? ["set session_replication_role = replica"] : [];
      const statements = [
        `update genop.${table} set ${column} = ${column}`,
        `delete from genop.${table}`,
        `truncate genop.${table} cascade`,
      ];
      for (const statement of statements)
        expect([statement, await refusal(url, ...before, statement)]).toEqual([statement, IMMUTABLE]);
    },
  );
});

async function firstColumn(table: string): Promise<string> {
  return database.asSuperuser(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select attname as name from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and attidentity = '' order by attnum limit 1`,
      [`genop.${table}`],
    );
    return rows[0]?.name ?? "";
  });
}

describe("I5 the application's role", () => {
  test.each([
    {
      what: "change a grant by way of a conflict",
      statement: "insert into genop.grants select * from genop.grants on conflict (uid) do update set amount = 1",
    },
    { what: "change a balance", statement: "update genop.balances set balance = balance + 1" },
    { what: "make a balance", statement: "insert into genop.balances (account_id, balance) values (999, 5)" },
    { what: "drop a guard", statement: "drop trigger immutable on genop.entries" },
    { what: "switch guards off", statement: "alter table genop.entries disable trigger all" },
    { what: "pose as a replica", statement: "set session_replication_role = replica" },
    { what: "drop a table", statement: "drop table genop.entries" },
    { what: "make a table", statement: "create table genop.mine (id integer)" },
    {
      what: "replace a guard's function",
      statement:
        "create or replace function genop.refuse_change() returns trigger language plpgsql as 'begin return new; end'",
    },
    { what: "rewrite the migrations", statement: "delete from genop.migrations" },
    { what: "delete an attempt", statement: "delete from genop.attempts" },
    { what: "delete a task", statement: "delete from genop.tasks" },
    { what: "change a published asset", statement: "update genop.assets set uri = uri" },
    { what: "truncate the calls", statement: "truncate genop.calls" },
    { what: "become the owner", statement: "set role genop_books_owner" },
  ])("I5: may not $what", async ({ statement }) => {
    expect([FORBIDDEN, "42P17"]).toContain(await refusal(database.loginUrl, statement));
  });

  test("I5: an entry's version and balance are the server's, whatever is inserted", async () => {
    const desk = await openDesk(database.pool());
    await desk.grant("forged", 10n);
    const client = new Client({ connectionString: database.loginUrl });
    await client.connect();
    try {
      await client.query("begin");
      await client.query(
        `insert into genop.ledger_transactions (namespace, operation, business_id, inputs, fingerprint, entry_count, epoch)
         values ('forged', 'grant', 'forged', '{}', '', 2, 0)`,
      );
      const { rows } = await client.query(
        `insert into genop.entries (transaction_id, account_id, asset, amount, account_version, balance_after)
         select max(header.id), account.id, 'gold', case when account.namespace is null then -5 else 5 end, 77, 1000000
           from genop.ledger_transactions header, genop.accounts account
          where account.kind = 'grants' or (account.namespace = 'forged' and account.kind = 'available')
          group by account.id, account.namespace order by account.id
         returning asset, account_version, balance_after`,
      );
      await client.query("commit");
      expect(rows).toEqual([
        { asset: "credit", account_version: null, balance_after: null },
        { asset: "credit", account_version: "2", balance_after: "15" },
      ]);
    } finally {
      await client.end();
    }
    expect(await desk.problems()).toEqual([]);
  });

  test("the rights are enough for all that the books do", async () => {
    const desk = await openDesk(database.pool());
    await desk.grant("studio", 1000n);
    await desk.books.end(await desk.ready(wish()), { ...NOT_CREATED, reason: "JobFailed" }, []);
    expect((await desk.books.load(wish().key, NEVER)).record).toBeUndefined();
    expect(await desk.problems()).toEqual([]);
  });
});
