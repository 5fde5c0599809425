// A late job is paid for once: by the search that found it, by the bill that shows it, or by both to the bill's last unit. In every order
// of the two and of a webhook, side by side, and killed before and after each step.
import { describe, expect, test } from "@jest/globals";
import { importUsage } from "../../../operator/postgres/usage-import.ts";
import { bookUsage } from "../../../operator/postgres/usage.ts";
import { visitLate } from "../../../operator/reconcile/late.ts";
import type { ProviderJobId } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";
import { COST, GIVEN_UP, bill, claim, dueOf, loseJob, moneyOf, owed, rowOf, visit, visitToEnd } from "./late-world.ts";
import type { Lost } from "./late-world.ts";

let database: TestDatabase;
let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ database, desk } = opened));

const CAPABILITIES = { lookupByClientID: true, webhookAdoption: true };

const AMOUNTS = [
  ["as the provider said", COST],
  ["dearer", COST + 5n],
  ["cheaper", COST - 5n],
] as const;

type Step = "find" | "end" | "bill" | "webhook";

/** All orders of the steps, but the end of a job comes after it was found. */
function ordersOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  if (steps.length === 0) return [[]];
  return steps
    .flatMap((step) => ordersOf(steps.filter((other) => other !== step)).map((rest) => [step, ...rest]))
    .filter(
      (order) => !order.includes("end") || order.indexOf("find") < order.indexOf("end") || !order.includes("find"),
    );
}

const ORDERS = ordersOf(["find", "end", "bill", "webhook"]).filter(
  (order) => order.indexOf("find") < order.indexOf("end"),
);

async function take(
  lost: Lost,
  step: Step,
  { amount, showsRef }: { readonly amount: bigint; readonly showsRef: boolean },
): Promise<void> {
  if (step === "find") await visit(lost);
  if (step === "end") await visitToEnd(lost);
  if (step === "bill") await bill(lost, amount, showsRef);
  if (step === "webhook") await claim(lost);
}

describe("a late job", () => {
  const rows = ORDERS.flatMap((steps, at) =>
    [true, false].map((showsRef, side) => {
      const [what, amount] = AMOUNTS[(at + side) % AMOUNTS.length] ?? ["", COST];
      return { order: steps.join(", "), steps, showsRef, what, amount };
    }),
  );

  test.each(rows)(
    "I5: $order, billed $what (with our id: $showsRef), is owed what is billed, and no tenant pays",
    async ({ amount, showsRef, steps }) => {
      const lost = await loseJob(desk, { capabilities: CAPABILITIES });
      const money = await moneyOf(lost, "studio");
      for (const step of steps) await take(lost, step, { amount, showsRef });
      expect(await owed(lost)).toBe(amount);
      expect(await rowOf(lost)).toMatchObject({ state: "over", job_id: "job-1", verdict: "succeeded" });
      expect(await moneyOf(lost, "studio")).toEqual(money);
    },
  );

  test("in all orders leaves the books right", async () => {
    expect(rows).toHaveLength(24);
    expect(await desk.problems()).toEqual([]);
  });
});

test("lines of an attempt's two jobs are each judged for their own, in either order", async () => {
  const provider = "two-jobs";
  const attempt = await desk.accepted(wish({ provider }), "own");
  await desk.books.end(attempt, { ...GIVEN_UP, reason: "JobFailed", charge: micro(60n) }, []);
  const common = { nth: 0, amount: 60n };
  const lines = [
    { ...common, jobId: "second", ref: attempt.id, billedAt: new Date("2026-06-01T12:00:00Z") },
    { ...common, jobId: "own", ref: undefined, billedAt: new Date("2026-06-02T12:00:00Z") },
  ];
  await importUsage(desk.pool, provider, lines);
  const verdicts = [];
  for (let one; (one = await bookUsage(desk.pool, () => desk.epoch, NEVER));)
    verdicts.push([one.jobId, one.verdict, one.difference]);
  expect(verdicts).toEqual([
    ["second", "duplicate", 60n],
    ["own", "matched", 0n],
  ]);
});

describe("the search and the bill at the same time", () => {
  const lineOf = (lost: Lost, ref: string | undefined) => ({
    jobId: "job-1",
    nth: 0,
    ref,
    amount: COST,
    billedAt: new Date(0),
  });

  async function found(): Promise<Lost> {
    const lost = await loseJob(desk);
    await visit(lost);
    await visit(lost);
    return lost;
  }

  test("I5: both wait for the job's lock, and whoever comes second sees the first", async () => {
    const lost = await found();
    await importUsage(desk.pool, lost.provider, [lineOf(lost, undefined)]);
    const due = await dueOf(lost);
    if (!due) throw new Error("expected the job to be watched");
    await database.asSuperuser(async (client) => {
      await client.query("begin");
      await client.query("select genop.lock_job($1, 'job-1')", [lost.provider]);
      const both = Promise.all([visitLate(lost.deps, due, NEVER), bookUsage(desk.pool, () => desk.epoch, NEVER)]);
      await waiters(2);
      await client.query("commit");
      await both;
    });
    expect([await owed(lost), await desk.problems()]).toEqual([COST, []]);
  });

  test("I5: who writes a job down on either side waits for the job's lock", async () => {
    const lost = await loseJob(desk);
    const live = await desk.sent(wish({ provider: lost.provider }));
    const due = await dueOf(lost);
    if (!due) throw new Error("expected the job to be sought");
    await database.asSuperuser(async (client) => {
      await client.query("begin");
      await client.query("select genop.lock_job($1, 'job-1')", [lost.provider]);
      const both = Promise.all([
        visitLate(lost.deps, due, NEVER),
        desk.books.markAccepted(live, "job-1" as ProviderJobId, 0),
      ]);
      await waiters(2);
      await client.query("commit");
      const [news, accepted] = await both;
      // One of the two has it.
      expect([news?.news === "found", accepted.outcome === "done"].filter(Boolean)).toEqual([true]);
    });
    const { rows } = await desk.pool.query("select from genop.attempts where provider = $1 and job_id = 'job-1'", [
      lost.provider,
    ]);
    expect((await rowOf(lost))?.job_id === "job-1").toBe(rows.length === 0);
    if (rows.length > 0)
      await desk.books.end(
        await desk.attempt(await keyOf(live.id), "accepted"),
        { ...GIVEN_UP, reason: "JobFailed" },
        [],
      );
    expect(await desk.problems()).toEqual([]);
  });

  test("I5: many at once, with leaders of their own, and each is owed once", async () => {
    const losts = await Promise.all(Array.from({ length: 8 }, () => found()));
    await Promise.all(
      losts.map((lost, at) =>
        importUsage(desk.pool, lost.provider, [lineOf(lost, at % 2 === 0 ? lost.attempt.id : undefined)]),
      ),
    );
    const dues = await Promise.all(losts.map((lost) => dueOf(lost)));
    const visits = losts.flatMap((lost, at) =>
      [dues[at], dues[at]].flatMap((due) => (due ? [visitLate(lost.deps, due, NEVER)] : [])),
    );
    const bills = Array.from({ length: 4 }, async () => {
      while (await bookUsage(desk.pool, () => desk.epoch, NEVER)) await Promise.resolve();
    });
    await Promise.all([...visits, ...bills]);
    while (await bookUsage(desk.pool, () => desk.epoch, NEVER)) await Promise.resolve();
    expect(await Promise.all(losts.map((lost) => owed(lost)))).toEqual(losts.map(() => COST));
    expect(await desk.problems()).toEqual([]);
  });

  async function waiters(count: number): Promise<void> {
    for (;;) {
      const { rows } = await desk.pool.query<{ waiting: number }>(
        `select count(*)::integer as waiting from pg_locks
          where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`,
      );
      if ((rows[0]?.waiting ?? 0) >= count) return;
    }
  }

  async function keyOf(id: string): Promise<Lost["key"]> {
    const { rows } = await desk.pool.query<{ task_key: Lost["key"] }>(
      "select task_key from genop.attempts where id = $1",
      [id],
    );
    const [row] = rows;
    if (!row) throw new Error("expected the attempt to be there");
    return row.task_key;
  }
});
