// Migrations: applied once, by whoever comes first, and never against a schema that is not understood.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  checkSchema,
  grantMembership,
  migrate,
  missingFrom,
  readMigrations,
} from "../../../operator/postgres/migrate.ts";
import type { Migration } from "../../../operator/postgres/migrate.ts";
import { runMigrations } from "../../../operator/postgres/migrate-job.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { openDesk, wish } from "./desk.ts";

let database: TestDatabase;
let known: readonly Migration[];
beforeAll(async () => {
  known = await readMigrations();
});
beforeEach(async () => {
  database = await openDatabase({ isMigrated: false });
});
afterEach(() => database.close());

const settings = () => ({ url: database.ownerUrl, password: undefined, members: [] });
const later = (changes: Partial<Migration> = {}): Migration => ({
  version: 9000,
  name: "9000_later.sql",
  sql: "create table genop.later (id integer)",
  checksum: "later",
  breaking: false,
  ...changes,
});

describe("migrate", () => {
  test("applies every file in order, and nothing the second time", async () => {
    expect(await runMigrations(settings())).toEqual(known.map(({ name }) => name));
    expect(await runMigrations(settings())).toEqual([]);
  });

  test("works as an owner that is no superuser, and leaves tables that the application's login can use", async () => {
    await runMigrations(settings());
    const desk = await openDesk(database.pool());
    await desk.grant("studio", 100n);
    await desk.begun(wish());
    expect(await desk.problems()).toEqual([]);
  });

  test("of four jobs at once, one applies, and the others find it done", async () => {
    const applied = await Promise.all(Array.from({ length: 4 }, () => runMigrations(settings())));
    expect(applied.filter(({ length }) => length > 0)).toHaveLength(1);
  });

  test("a file that fails leaves nothing behind, and is named", async () => {
    const owner = database.pool({ url: database.ownerUrl });
    const failing = migrate(owner, [...known, later({ sql: "create table genop.later (id integer); select 1/0" })]);
    await expect(failing).rejects.toMatchObject({ code: "REFUSED", about: "9000_later.sql", sqlState: "22012" });
    const { rows } = await owner.query("select from pg_namespace where nspname = 'genop'");
    expect(rows).toEqual([]);
  });

  test("a changed file is refused", async () => {
    await runMigrations(settings());
    const owner = database.pool({ url: database.ownerUrl });
    const changed = known.map((one, i) => (i === 0 ? { ...one, checksum: "other" } : one));
    await expect(migrate(owner, changed)).rejects.toMatchObject({ code: "MIGRATION_CHANGED", about: known[0]?.name });
  });

  test("a newer schema is refused when its migration is breaking, and left alone when it is not", async () => {
    const owner = database.pool({ url: database.ownerUrl });
    await migrate(owner, [...known, later()]);
    expect(await migrate(owner, known)).toEqual([]);
    await checkSchema(owner, known);
    await migrate(owner, [
      ...known,
      later(),
      later({ version: 9001, name: "9001_break.sql", sql: "select 1", breaking: true }),
    ]);
    const refusal = { code: "SCHEMA_NEW", about: "9001_break.sql" };
    await expect(migrate(owner, known)).rejects.toMatchObject(refusal);
    await expect(checkSchema(owner, known)).rejects.toMatchObject(refusal);
  });

  test("a login that does not exist can't be made a member", async () => {
    await runMigrations(settings());
    const superuser = database.pool({ url: database.superuserUrl });
    await expect(
      grantMembership(superuser, { group: "genop_app", login: 'nobody"; drop table genop.entries; --' }),
    ).rejects.toMatchObject({
      sqlState: "42704",
    });
    expect((await superuser.query("select from genop.entries")).rowCount).toBe(0);
  });
});

describe("the files", () => {
  test("have a number each, and each says why", () => {
    const versions = known.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)]);
    for (const { name, sql } of known) expect([name, /^(-- breaking\n)?-- Why: /.test(sql)]).toEqual([name, true]);
  });

  test("a schema without the newest file is too old to start with", async () => {
    const owner = database.pool({ url: database.ownerUrl });
    await expect(checkSchema(owner, known)).rejects.toMatchObject({ code: "SCHEMA_OLD", about: known[0]?.name });
    await migrate(owner, known.slice(0, -1));
    await expect(checkSchema(owner, known)).rejects.toMatchObject({ code: "SCHEMA_OLD", about: known.at(-1)?.name });
    expect(missingFrom([], known)).toEqual(known);
  });
});
