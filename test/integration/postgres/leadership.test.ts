// I8: two leaders are harmless. The fence is in the database, so a frozen or deposed process can't write whatever it believes.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import { makeBooks } from "../../../operator/postgres/books.ts";
import { pruneCalls } from "../../../operator/postgres/calls.ts";
import { acquireEpoch, inTransaction } from "../../../operator/postgres/fence.ts";
import { makeGrants } from "../../../operator/postgres/grants.ts";
import type { Epoch, ProviderJobId } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, NOT_CREATED, UNLIMITED, openDesk, wish } from "./desk.ts";
import { blockedBackends, until } from "./watch.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const STALE = { outcome: "stale" };

describe("I8 two leaders are harmless", () => {
  test("I8: terms grow by one, and twenty that begin at once are twenty different ones", async () => {
    const pool = database.pool();
    const first = await acquireEpoch(pool, "first");
    const later = await Promise.all(Array.from({ length: 20 }, (_, i) => acquireEpoch(pool, `candidate-${i}`)));
    expect(later.sort((a, b) => Number(a - b))).toEqual(Array.from({ length: 20 }, (_, i) => first + BigInt(i) + 1n));
  });

  test("I8: whatever a deposed leader writes is stale, and changes nothing", async () => {
    const old = await openDesk(database.pool());
    await old.grant("studio", 10_000n);
    const [toBegin, toEnd] = [wish(), wish()];
    const intended = await old.begun(toEnd);
    const [sent, accepted, ready] = [await old.sent(), await old.accepted(), await old.ready()];
    const present = await openDesk(database.pool());
    const before = await present.pool.query("select * from genop.attempts order by id");
    const { books } = old;
    const answers = [
      await books.begin(toBegin, NEVER),
      await books.markSent(intended, UNLIMITED, 1000, NEVER),
      await books.markAccepted(sent, "late" as ProviderJobId, 0),
      await books.markAmbiguous(sent, "reset", 0),
      await books.noteLook(sent, { missed: true, nextAfterMs: 0 }),
      await books.notePoll(accepted, { nextAfterMs: 0, progress: 1, doubt: "none" }),
      await books.noteCancelAsked(accepted),
      await books.markReady(accepted, undefined),
      await books.noteFetch(ready, { nextAfterMs: 0, expiry: "none" }),
      await books.end(intended, NOT_CREATED, []),
      await books.endTask(toBegin, { phase: "Cancelled", reason: "Deleted", message: "" }),
      await books.park(toEnd, { reason: "JobStalled", message: "" }),
      await books.unpark(toEnd.key),
      await books.adopt({ ...toEnd, uid: "other" }),
      await makeGrants(old.pool, () => old.epoch).apply(
        { uid: "late", namespace: "studio", amount: micro(1n), reason: "" },
        NEVER,
      ),
      await pruneCalls(old.pool, () => old.epoch, { olderThanMs: 0, atMost: 10 }, NEVER),
    ];
    expect(answers).toEqual(answers.map(() => STALE));
    expect((await present.pool.query("select * from genop.attempts order by id")).rows).toEqual(before.rows);
    expect(await present.books.load(toBegin.key, NEVER)).toMatchObject({ record: undefined });
  });

  test("I8: without a term nothing is written, and reading still works", async () => {
    const pool = database.pool();
    const books = makeBooks(pool, () => undefined);
    const beginning = wish();
    expect(await books.begin(beginning, NEVER)).toEqual(STALE);
    expect(await books.load(beginning.key, NEVER)).toMatchObject({ record: undefined });
  });

  test("I8: a new term begins only when the writers of the old one are done", async () => {
    const pool = database.pool();
    const epoch = await acquireEpoch(pool, "old");
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    let inside = (): void => undefined;
    const isInside = new Promise<void>((resolve) => (inside = resolve));
    const order: string[] = [];
    const writing = inTransaction(
      pool,
      () => epoch,
      async () => {
        inside();
        await gate;
        order.push("old writer commits");
      },
    );
    await isInside;
    const taking = acquireEpoch(pool, "new").then(() => order.push("new term"));
    await until(async () => (await blockedBackends(database)) > 0);
    finish();
    await Promise.all([writing, taking]);
    expect(order).toEqual(["old writer commits", "new term"]);
  });

  test("I8: a leader frozen inside a transaction loses it, and its late commit is no commit", async () => {
    const frozen = database.pool({ idleInTransactionMs: 200, maxConnections: 1 });
    const epoch = await acquireEpoch(frozen, "frozen");
    let thaw = (): void => undefined;
    const gate = new Promise<void>((resolve) => (thaw = resolve));
    let inside = (): void => undefined;
    const isInside = new Promise<void>((resolve) => (inside = resolve));
    const writing = inTransaction(
      frozen,
      () => epoch,
      async (transaction) => {
        await transaction.rows("insert into genop.rates (provider) values ('frozen')");
        inside();
        await gate;
      },
    );
    const ended = expect(writing).rejects.toMatchObject({ code: "COMMIT_UNKNOWN" });
    await isInside;
    const next = await acquireEpoch(database.pool(), "next");
    thaw();
    await ended;
    expect(next).toBe(epoch + 1n);
    expect((await database.pool().query("select from genop.rates where provider = 'frozen'")).rowCount).toBe(0);
  });

  test("I8: two leaders that begin the same wish make one attempt", async () => {
    const [one, other] = [await openDesk(database.pool()), await openDesk(database.pool())];
    const beginnings = Array.from({ length: 8 }, () => wish());
    await other.grant("studio", 10_000n);
    const outcomes = await Promise.all(
      beginnings.flatMap((beginning) => [one.books.begin(beginning, NEVER), other.books.begin(beginning, NEVER)]),
    );
    expect(outcomes.filter(({ outcome }) => outcome === "begun")).toHaveLength(8);
    expect(await other.problems()).toEqual([]);
  });

  test("I8: a term never goes back, whatever statement is typed", async () => {
    const superuser = new Client({ connectionString: database.superuserUrl });
    await superuser.connect();
    try {
      const back = superuser.query("update genop.leadership set epoch = epoch - 1");
      await expect(back).rejects.toMatchObject({ code: "GN003" });
    } finally {
      await superuser.end();
    }
  });

  test("I8: a made-up later term is as stale as an earlier one", async () => {
    const desk = await openDesk(database.pool());
    const books = makeBooks(desk.pool, () => (desk.epoch + 1n) as Epoch);
    expect(await books.begin(wish(), NEVER)).toEqual(STALE);
  });
});
