// I8 by shard: a term ends the writes of the one before it and of nobody else, and two numbers of shards never lead at once.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Pool } from "pg";
import { acquireEpoch, inTransaction, shardsInForce } from "../../../operator/postgres/fence.ts";
import type { Fence, FencedTransaction, Seat } from "../../../operator/postgres/fence.ts";
import type { Epoch } from "../../../operator/task/brand.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { blockedBackends, until } from "./watch.ts";

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await openDatabase();
  pool = database.pool();
});
afterEach(() => database.close());

const STALE = { outcome: "stale" };

interface Leader extends Seat {
  readonly epoch: Epoch;
  /** How often the database said that its term is over. */
  readonly superseded: () => number;
  /** One row of this name, in a transaction of its term. */
  write(row: string): Promise<unknown>;
  within<T>(work: (transaction: FencedTransaction) => Promise<T>): Promise<unknown>;
}

async function lead(shard: number, shards: number): Promise<Leader> {
  const seat = { shard, shards };
  const epoch = await acquireEpoch(pool, `holder of ${shard}/${shards}`, undefined, seat);
  let superseded = 0;
  const fence: Fence = Object.assign(() => epoch, { shard, superseded: () => (superseded += 1) });
  const within: Leader["within"] = (work) => inTransaction(pool, fence, work);
  const write = (row: string): Promise<unknown> =>
    within((transaction) => transaction.count("insert into genop.rates (provider) values ($1)", [row]));
  return { ...seat, epoch, superseded: () => superseded, within, write };
}

async function rows(): Promise<readonly string[]> {
  const { rows: found } = await pool.query<{ provider: string }>("select provider from genop.rates order by provider");
  return found.map(({ provider }) => provider);
}

/** Holds a transaction of the leader open until told. */
async function writing(leader: Leader): Promise<{ finish: () => void; readonly ended: Promise<unknown> }> {
  const inside = Promise.withResolvers<undefined>();
  const gate = Promise.withResolvers<undefined>();
  const ended = leader.within(async (transaction) => {
    await transaction.rows("insert into genop.rates (provider) values ('open')");
    inside.resolve(undefined);
    await gate.promise;
  });
  await Promise.race([inside.promise, ended]);
  return { finish: () => gate.resolve(undefined), ended };
}

describe("I8 one term a shard", () => {
  test("I8: a new term of one shard ends the writes of that shard, and those of another go on", async () => {
    const [one, two] = [await lead(1, 4), await lead(2, 4)];
    const successor = await lead(1, 4);
    expect(await one.write("late")).toEqual(STALE);
    expect([await two.write("of 2"), await successor.write("of 1")]).toEqual([1, 1]);
    expect(await rows()).toEqual(["of 1", "of 2"]);
    expect([one.superseded(), two.superseded(), successor.superseded()]).toEqual([1, 0, 0]);
  });

  test("I8: one shard's term is no term of another", async () => {
    const one = await lead(1, 4);
    await lead(2, 4);
    const posing: Fence = Object.assign(() => one.epoch, { shard: 2 });
    expect(await inTransaction(pool, posing, () => Promise.resolve("written"))).toEqual(STALE);
  });

  test("I8: a new term waits for the writers of its own shard only", async () => {
    const [zero, one] = [await lead(0, 2), await lead(1, 2)];
    const open = await writing(one);
    expect((await lead(0, 2)).epoch).toBeGreaterThan(zero.epoch);
    const order: string[] = [];
    const taking = lead(1, 2).then(() => order.push("new term"));
    await until(async () => (await blockedBackends(database)) > 0);
    open.finish();
    await open.ended.then(() => order.push("old writer commits"));
    await taking;
    expect(order).toEqual(["old writer commits", "new term"]);
  });

  test("I8: terms that begin at once, of whichever shards, are all different ones", async () => {
    await lead(0, 4);
    const epochs = await Promise.all(Array.from({ length: 24 }, async (_, i) => (await lead(i % 4, 4)).epoch));
    expect(new Set(epochs).size).toBe(24);
  });
});

describe("I8 another number of shards", () => {
  test.each([
    { before: 1, after: 4 },
    { before: 4, after: 1 },
    { before: 4, after: 3 },
    { before: 2, after: 64 },
  ])("I8: the first term of $after ends all terms of $before", async ({ after, before }) => {
    const old = await Promise.all(Array.from({ length: before }, (_, shard) => lead(shard, before)));
    await Promise.all(old.map((leader) => leader.write(`of ${leader.shard}`)));
    const first = await lead(after - 1, after);
    expect(await Promise.all(old.map((leader) => leader.write("late")))).toEqual(old.map(() => STALE));
    expect([await first.write("of the new"), await shardsInForce(pool)]).toEqual([1, after]);
    expect(await rows()).toHaveLength(before + 1);
  });

  test("I8: all of the new ones that begin at once lead side by side, and none of the old ones with them", async () => {
    const old = await Promise.all([0, 1].map((shard) => lead(shard, 2)));
    const present = await Promise.all([0, 1, 2, 3, 4].map((shard) => lead(shard, 5)));
    expect(await Promise.all(present.map((leader) => leader.write(`of ${leader.shard}`)))).toEqual([1, 1, 1, 1, 1]);
    expect(await Promise.all(old.map((leader) => leader.write("late")))).toEqual([STALE, STALE]);
  });

  test("I8: whichever number comes first, only leaders of one number are valid at the end", async () => {
    const leaders = await Promise.all([1, 2, 3, 2, 1, 3].map((shards) => lead(shards - 1, shards)));
    const written = await Promise.all(leaders.map((leader, i) => leader.write(`of ${i}`)));
    const valid = leaders.filter((_, i) => written[i] === 1);
    expect(new Set(valid.map(({ shards }) => shards))).toEqual(new Set([await shardsInForce(pool)]));
  });

  test("I8: it waits for every writer of the old number", async () => {
    const one = await lead(1, 2);
    const open = await writing(one);
    const order: string[] = [];
    const taking = lead(0, 1).then(() => order.push("new number"));
    await until(async () => (await blockedBackends(database)) > 0);
    open.finish();
    await open.ended.then(() => order.push("old writer commits"));
    await taking;
    expect(order).toEqual(["old writer commits", "new number"]);
  });
});

test("I8: a version that knows of one row can't end the terms of all shards", async () => {
  const leaders = await Promise.all([0, 1].map((shard) => lead(shard, 2)));
  const typed = pool.query("update genop.leadership set epoch = epoch + 1, holder = 'of a version before'");
  await expect(typed).rejects.toMatchObject({ code: "GN003" });
  expect(await Promise.all(leaders.map((leader) => leader.write(`of ${leader.shard}`)))).toEqual([1, 1]);
});
