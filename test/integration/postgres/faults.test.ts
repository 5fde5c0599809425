// I5 when one step meets a fault of the database: the answer to COMMIT is lost, its backend is killed, a limit strikes. What
// was acknowledged is there, once; what was not can be said again.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ClientBase } from "pg";
import { makeBooks } from "../../../operator/postgres/books.ts";
import { micro } from "../../../operator/task/credits.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, NOT_CREATED, openDesk, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import type { CommitFate, FaultProxy } from "./fault-proxy.ts";
import { until } from "./watch.ts";

const GRANTED = 2_000n;

let database: TestDatabase;
let proxy: FaultProxy;
let desk: Desk;
beforeAll(async () => {
  database = await openDatabase();
  proxy = await startFaultProxy(database.loginUrl);
  desk = await openDesk(database.pool({ url: proxy.through(database.loginUrl) }));
});
afterAll(async () => {
  await proxy.close();
  await database.close();
});

async function balances(namespace: string): Promise<{ available: bigint; held: bigint }> {
  const { available, held } = await desk.reports.accountStatement(namespace, 1, NEVER);
  return { available, held };
}

/** The next COMMIT has this fate, and those after it pass. */
function next(fate: CommitFate): void {
  const fates = [fate];
  proxy.decide(() => fates.pop() ?? "pass");
}

const unknown = { code: "COMMIT_UNKNOWN" };

describe("I5 the answer to COMMIT", () => {
  test("I5: a hold whose answer is lost is there, and asking again makes no second one", async () => {
    await desk.grant("lost-hold", GRANTED);
    const beginning = wish({ namespace: "lost-hold" });
    next("lose-answer");
    await expect(desk.books.begin(beginning, NEVER)).rejects.toMatchObject(unknown);
    await until(async () => (await balances("lost-hold")).held === 100n); // the server may still be at it
    expect(await desk.books.begin(beginning, NEVER)).toEqual({ outcome: "stale" });
    expect(await balances("lost-hold")).toEqual({ available: GRANTED - 100n, held: 100n });
    expect(await desk.problems()).toEqual([]);
  });

  test("I5: a hold whose COMMIT is lost is not there, and asking again makes the first one", async () => {
    await desk.grant("lost-commit", GRANTED);
    const beginning = wish({ namespace: "lost-commit" });
    next("lose-commit");
    await expect(desk.books.begin(beginning, NEVER)).rejects.toMatchObject(unknown);
    expect(await balances("lost-commit")).toEqual({ available: GRANTED, held: 0n });
    expect(await desk.books.begin(beginning, NEVER)).toMatchObject({ outcome: "begun" });
    expect(await balances("lost-commit")).toEqual({ available: GRANTED - 100n, held: 100n });
  });

  test.each(["lose-answer", "lose-commit"] as const)(
    "I5: a settlement that meets %s is settled once when it is said again",
    async (fate) => {
      const namespace = `settled-${fate}`;
      await desk.grant(namespace, GRANTED);
      const accepted = await desk.accepted(wish({ namespace }));
      const ending = { ...NOT_CREATED, reason: "JobFailed", charge: micro(30n) } as const;
      next(fate);
      await expect(desk.books.end(accepted, ending, [])).rejects.toMatchObject(unknown);
      expect(await desk.books.end(accepted, ending, [])).toMatchObject({ outcome: "done" });
      expect(await balances(namespace)).toEqual({ available: GRANTED - 30n, held: 0n });
      expect(await desk.problems()).toEqual([]);
    },
  );

  test("I5: a grant whose answer is lost adds once when it is said again", async () => {
    next("lose-answer");
    await expect(desk.grant("lost-grant", GRANTED)).rejects.toMatchObject(unknown);
    await until(async () => (await balances("lost-grant")).available === GRANTED);
    expect(await desk.problems()).toEqual([]);
  });

  test("I5: a backend that is killed inside COMMIT has written nothing, and that is called unknown", async () => {
    await desk.grant("killed", GRANTED);
    const beginning = wish({ namespace: "killed" });
    await database.asSuperuser((client) => client.query(LINGER));
    const begun = expect(desk.books.begin(beginning, NEVER)).rejects.toMatchObject(unknown);
    await until(() => database.asSuperuser(async (client) => (await killCommitting(client)) > 0));
    await begun;
    await database.asSuperuser((client) => client.query("drop trigger linger on genop.holds"));
    expect(await balances("killed")).toEqual({ available: GRANTED, held: 0n });
    expect(await desk.books.begin(beginning, NEVER)).toMatchObject({ outcome: "begun" });
    expect(await desk.problems()).toEqual([]);
  });
});

const LINGER = `
create function public.linger() returns trigger language plpgsql as 'begin perform pg_sleep(60); return null; end';
create constraint trigger linger after insert on genop.holds deferrable initially deferred
  for each row execute function public.linger()`;

async function killCommitting(client: ClientBase): Promise<number> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'commit' and wait_event = 'PgSleep'`,
  );
  return rowCount ?? 0;
}

describe("I5 the limits", () => {
  test.each([
    { what: "the limit on a lock", limits: { lockTimeoutMs: 50 }, sqlState: "55P03" },
    { what: "the limit on a statement", limits: { statementTimeoutMs: 50, lockTimeoutMs: 0 }, sqlState: "57014" },
  ])("I5: $what strikes, nothing is written, and the next try passes", async ({ limits, sqlState }) => {
    const namespace = `limited-${sqlState.toLowerCase()}`;
    await desk.grant(namespace, GRANTED);
    const limited = makeBooks(database.pool(limits), () => desk.epoch);
    const beginning = wish({ namespace });
    await database.asSuperuser(async (client) => {
      await client.query("begin");
      await client.query("select from genop.balances for update");
      await expect(limited.begin(beginning, NEVER)).rejects.toMatchObject({ code: "TIMEOUT", sqlState });
      await client.query("rollback");
    });
    expect(await balances(namespace)).toEqual({ available: GRANTED, held: 0n });
    expect(await desk.books.begin(beginning, NEVER)).toMatchObject({ outcome: "begun" });
    expect(await desk.problems()).toEqual([]);
  });
});
