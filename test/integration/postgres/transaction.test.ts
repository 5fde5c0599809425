// The transaction's promises: a commit is believed by its tag, conflicts are retried whole, faults carry no values, and a small
// pool does not lock itself up.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Pool } from "pg";
import { PostgresFault } from "../../../operator/postgres/faults.ts";
import { inPlainTransaction, readRows } from "../../../operator/postgres/transaction.ts";
import type { Transaction } from "../../../operator/postgres/transaction.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, openDesk, wish } from "./desk.ts";
import { until } from "./watch.ts";

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await openDatabase();
  await database.asSuperuser(async (client) => {
    await client.query(`
      create table public.scratch (id integer primary key, value text);
      grant all on public.scratch to public;
      create function public.linger() returns trigger language plpgsql as 'begin perform pg_sleep(60); return null; end';
      create table public.slow (id integer);
      grant all on public.slow to public;
      create constraint trigger slow after insert on public.slow deferrable initially deferred
        for each row execute function public.linger()`);
  });
  pool = database.pool();
});
beforeEach(() =>
  database.asSuperuser((client) =>
    client.query("truncate public.scratch; insert into public.scratch values (1, ''), (2, '')"),
  ),
);
afterAll(() => database.close());

async function values(): Promise<readonly (string | null)[]> {
  const { rows } = await pool.query<{ value: string | null }>("select value from public.scratch order by id");
  return rows.map(({ value }) => value);
}

const write = (transaction: Transaction, id: number, value: string) =>
  transaction.rows("update public.scratch set value = value || $2 where id = $1", [id, value]);

describe("commit", () => {
  test("a swallowed error does not become a lost write: COMMIT answered ROLLBACK is a fault", async () => {
    const work = async (transaction: Transaction): Promise<void> => {
      await write(transaction, 1, "lost");
      await transaction.rows("select 1/0").catch(() => undefined);
    };
    await expect(inPlainTransaction(pool, work)).rejects.toMatchObject({ code: "ROLLED_BACK" });
    expect(await values()).toEqual(["", ""]);
  });

  test.each([
    { what: "the connection is cut", how: "pg_terminate_backend", code: "COMMIT_UNKNOWN" },
    { what: "the server says that it failed", how: "pg_cancel_backend", code: "TIMEOUT" },
  ])("when $what in the middle of COMMIT, that is told as $code", async ({ code, how }) => {
    const committing = inPlainTransaction(pool, (transaction) =>
      transaction.rows("insert into public.slow values (1)"),
    );
    const told = expect(committing).rejects.toMatchObject({ code });
    await until(() =>
      database.asSuperuser(async (client) => {
        const { rowCount } = await client.query(
          `select ${how}(pid) from pg_stat_activity
            where datname = current_database() and query = 'commit' and wait_event = 'PgSleep'`,
        );
        return (rowCount ?? 0) > 0;
      }),
    );
    await told;
    expect((await pool.query("select from public.slow")).rowCount).toBe(0);
  });
});

describe("retries", () => {
  test("of two transactions that lock each other out, both are done in the end, each once", async () => {
    let arrived = 0;
    let open = (): void => undefined;
    const bothHoldOne = new Promise<void>((resolve) => (open = resolve));
    const cross = (first: number, second: number, mine: string) =>
      inPlainTransaction(pool, async (transaction) => {
        await write(transaction, first, mine);
        if ((arrived += 1) === 2) open();
        await bothHoldOne;
        await write(transaction, second, mine);
      });
    await Promise.all([cross(1, 2, "a"), cross(2, 1, "b")]);
    const [one, two] = await values();
    expect([one, two].map((value) => ["ab", "ba"].includes(value ?? ""))).toEqual([true, true]);
    expect(arrived).toBe(3);
  });

  test("a serialization failure runs the whole work again, and gives up after a few", async () => {
    let runs = 0;
    const failing = (times: number) =>
      inPlainTransaction(pool, async (transaction) => {
        runs += 1;
        await write(transaction, 1, "x");
        if (runs <= times) await transaction.rows("do $$ begin raise sqlstate '40001'; end $$");
      });
    await failing(2);
    expect([runs, await values()]).toEqual([3, ["x", ""]]);
    runs = 0;
    await expect(failing(1000)).rejects.toMatchObject({ code: "CONTENTION", sqlState: "40001" });
    expect(runs).toBe(6);
  });

  test("other refusals are not tried again", async () => {
    let runs = 0;
    const work = async (transaction: Transaction): Promise<void> => {
      runs += 1;
      await transaction.rows("insert into public.scratch values (1, 'again')");
    };
    await expect(inPlainTransaction(pool, work)).rejects.toMatchObject({ code: "REFUSED", sqlState: "23505" });
    expect(runs).toBe(1);
  });
});

describe("faults", () => {
  test("carry no parameter, row or message of the server", async () => {
    const secret = "a-prompt-nobody-may-read";
    const faults = await Promise.all(
      [
        readRows(pool, "select $1::integer", [secret]),
        readRows(pool, "insert into public.scratch values (1, $1)", [secret]),
        readRows(pool, `select "${secret}"`, []),
      ].map((failing) => failing.catch((error: unknown) => error)),
    );
    for (const fault of faults) {
      expect(fault).toBeInstanceOf(PostgresFault);
      const { cause, message, stack } = fault as PostgresFault;
      expect(`${message}${stack ?? ""}${JSON.stringify(fault)}${JSON.stringify(cause ?? null)}`).not.toContain(secret);
    }
  });

  test("an unreachable server is told as such, without its address or password", async () => {
    const nowhere = database.pool({ url: "postgres://genop:hidden-password@127.0.0.1:1/genop" });
    const fault: unknown = await readRows(nowhere, "select 1", []).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: "UNREACHABLE", about: "ECONNREFUSED" });
    expect((fault as Error).message).not.toMatch(/hidden|127/);
  });

  test("a connection that was cut is replaced", async () => {
    const single = database.pool({ maxConnections: 1 });
    const [before] = await readRows<{ pid: number }>(single, "select pg_backend_pid() as pid", []);
    await database.asSuperuser((client) => client.query("select pg_terminate_backend($1)", [before?.pid]));
    await until(async () => {
      const [after] = await readRows<{ pid: number }>(single, "select pg_backend_pid() as pid", []).catch(() => []);
      return after !== undefined && after.pid !== before?.pid;
    });
  });
});

describe("the pool", () => {
  test("with one connection, twenty writers at once all come through", async () => {
    const desk = await openDesk(database.pool({ maxConnections: 1 }));
    await desk.grant("studio", 10_000n);
    const beginnings = Array.from({ length: 20 }, () => wish());
    await Promise.all(beginnings.map((beginning) => desk.accepted(beginning)));
    expect(await desk.problems()).toEqual([]);
  });

  test("waiting for a connection has an end", async () => {
    // The first connection must be had within the same time, on a machine that is busy.
    const single = database.pool({ maxConnections: 1, connectTimeoutMs: 2_000 });
    const client = await single.connect();
    try {
      await expect(readRows(single, "select 1", [])).rejects.toMatchObject({ code: "UNREACHABLE" });
    } finally {
      client.release();
    }
    expect(await readRows(single, "select 1 as one", [])).toEqual([{ one: 1 }]);
  });

  test("an aborted transaction writes nothing and leaves no connection behind", async () => {
    const single = database.pool({ maxConnections: 1 });
    const stop = new AbortController();
    const work = async (transaction: Transaction): Promise<void> => {
      await write(transaction, 1, "aborted");
      stop.abort(new Error("shutting down"));
      await transaction.rows("select pg_sleep(60)");
    };
    await expect(inPlainTransaction(single, work, stop.signal)).rejects.toThrow("shutting down");
    expect(await values()).toEqual(["", ""]);
    expect(await readRows(single, "select 1 as one", [], NEVER)).toEqual([{ one: 1 }]);
  });

  test("integers of eight bytes and sums are bigint, and the driver's own table is untouched", async () => {
    expect(
      await readRows(
        pool,
        "select 9007199254740993 as a, sum(v) as b from (values (9223372036854775807), (1)) t (v)",
        [],
      ),
    ).toEqual([{ a: 9_007_199_254_740_993n, b: 9_223_372_036_854_775_808n }]);
    const row = await database.asSuperuser((client) => client.query("select 1::bigint as a"));
    expect(row.rows).toEqual([{ a: "1" }]);
  });
});
