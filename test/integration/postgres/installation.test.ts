// What must hold of a database before the operator writes to it.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { checkDatabase } from "../../../operator/postgres/installation.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase();
});
afterEach(() => database.close());

const HERE = { clusterUid: "cluster-here" };
const ELSEWHERE = { clusterUid: "cluster-elsewhere" };

describe("one database belongs to one installation", () => {
  test("the first to come claims it, again and again", async () => {
    const pool = database.pool();
    await Promise.all(Array.from({ length: 8 }, () => checkDatabase(pool, HERE)));
    await checkDatabase(pool, HERE);
  });

  test("another installation is refused, and may adopt it only by the owner's name", async () => {
    const pool = database.pool();
    await checkDatabase(pool, HERE);
    const refused = { code: "OTHER_INSTALLATION" };
    await expect(checkDatabase(pool, ELSEWHERE)).rejects.toMatchObject(refused);
    await expect(checkDatabase(pool, { ...ELSEWHERE, adoptFrom: "a guess" })).rejects.toMatchObject(refused);
    await checkDatabase(pool, { ...ELSEWHERE, adoptFrom: HERE.clusterUid });
    await checkDatabase(pool, { ...ELSEWHERE, adoptFrom: HERE.clusterUid });
    await expect(checkDatabase(pool, HERE)).rejects.toMatchObject(refused);
  });

  test("of two that come first at once, one gets it", async () => {
    const pool = database.pool();
    const claims = await Promise.allSettled([checkDatabase(pool, HERE), checkDatabase(pool, ELSEWHERE)]);
    expect(claims.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});

describe("a database that would not keep what is written is refused", () => {
  test.each([
    { why: "a superuser could bypass the guards", url: () => database.superuserUrl, says: /superuser/ },
    { why: "the owner could drop the guards", url: () => database.ownerUrl, says: /owns/ },
  ])("$why", async ({ says, url }) => {
    const checking = checkDatabase(database.pool({ url: url() }), HERE);
    await expect(checking).rejects.toMatchObject({ code: "UNSAFE_DATABASE", about: expect.stringMatching(says) });
  });

  test.each([
    { why: "commits that do not wait for the disk", set: "synchronous_commit = off", says: /synchronous_commit/ },
    { why: "read-only", set: "default_transaction_read_only = on", says: /read-only/ },
  ])("$why", async ({ says, set }) => {
    await database.asSuperuser((client) =>
      client.query(`do $$ begin execute format('alter database %I set ${set}', current_database()); end $$`),
    );
    const checking = checkDatabase(database.pool(), HERE);
    await expect(checking).rejects.toMatchObject({ code: "UNSAFE_DATABASE", about: expect.stringMatching(says) });
  });

  test("a right to change the ledger that somebody granted", async () => {
    await database.asSuperuser((client) => client.query("grant update on genop.entries to genop_app"));
    await expect(checkDatabase(database.pool(), HERE)).rejects.toMatchObject({
      about: expect.stringMatching(/may change/),
    });
  });
});
