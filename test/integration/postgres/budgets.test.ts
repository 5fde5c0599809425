// F2: budgets over real Postgres: what fits, what is refused and until when, what comes back, and that no crowd goes over.
import { describe, expect, test } from "@jest/globals";
import { importUsage } from "../../../operator/postgres/usage-import.ts";
import { bookUsage } from "../../../operator/postgres/usage.ts";
import { spentMost } from "../../../operator/postgres/spending.ts";
import type { Beginning } from "../../../operator/reconcile/ports.ts";
import type { Ending } from "../../../operator/task/action.ts";
import type { Budget } from "../../../operator/task/budget.ts";
import { ZERO, micro } from "../../../operator/task/credits.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, NOT_CREATED, openDesk, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";
import { age, newTenant, perDay, spentBy } from "./tenant.ts";

let database: TestDatabase;
let desk: Desk;
ownDesk({}, (opened) => ({ database, desk } = opened));

const perMonth = (limit: bigint): Budget => ({ perDay: undefined, perMonth: micro(limit) });
const charged = (charge: bigint): Ending => ({ ...NOT_CREATED, reason: "JobFailed", charge: micro(charge) });

const begin = async (beginning: Beginning): Promise<string> => (await desk.books.begin(beginning, NEVER)).outcome;
const tenant = (): Promise<string> => newTenant(desk);
const spent = (namespace: string): Promise<readonly [bigint, bigint]> => spentBy(desk, namespace);

describe("F2 a hold within a budget", () => {
  test("F2: is refused when the day has no room for it, until the next begins, and told once", async () => {
    const namespace = await tenant();
    await desk.begun(wish({ namespace, budget: perDay(199n) }));
    const second = wish({ namespace, budget: perDay(199n) });
    const refused = await desk.books.begin(second, NEVER);
    expect(refused).toMatchObject({ outcome: "over-budget", changed: true });
    const { now, record } = await desk.books.load(second.key, NEVER);
    const midnight = new Date(new Date(now).setUTCHours(24, 0, 0, 0));
    expect(record?.waiting).toEqual({ reason: "BudgetExhausted", until: midnight });
    const again = await desk.books.begin(second, NEVER);
    expect(again).toMatchObject({ outcome: "over-budget", changed: false });
    const { afterMs } = again as { readonly afterMs: number };
    expect(afterMs).toBeGreaterThan(0);
    expect(afterMs).toBeLessThanOrEqual(24 * 3_600_000);
  });

  test("F2: begins as soon as the limit has room, and waits no longer", async () => {
    const namespace = await tenant();
    const beginning = wish({ namespace, budget: perDay(99n) });
    expect(await begin(beginning)).toBe("over-budget");
    expect(await begin({ ...beginning, budget: perDay(100n) })).toBe("begun");
    expect((await desk.books.load(beginning.key, NEVER)).record?.waiting).toBeUndefined();
    expect(await begin({ ...beginning, budget: perDay(1n) })).toBe("stale");
  });

  test("F2: short credits are told before a budget, and a wait changes from one to the other", async () => {
    const namespace = "penniless";
    const beginning = wish({ namespace, budget: perDay(1n) });
    expect(await begin(beginning)).toBe("short");
    await desk.grant(namespace, 100n);
    expect(await begin(beginning)).toBe("over-budget");
    expect(await begin({ ...beginning, estimate: micro(101n) })).toBe("short");
    expect((await desk.books.load(beginning.key, NEVER)).record?.waiting).toEqual({ reason: "InsufficientCredits" });
  });

  test("F2: what is released comes back, what is settled does not, and a bill beyond the hold is not the tenant's", async () => {
    const namespace = await tenant();
    const budget = perDay(250n);
    await desk.books.end(await desk.accepted(wish({ namespace, budget })), charged(30n), []);
    expect(await spent(namespace)).toEqual([30n, 30n]);
    await desk.books.end(await desk.accepted(wish({ namespace, budget })), charged(170n), []);
    expect(await spent(namespace)).toEqual([130n, 130n]);
    await desk.begun(wish({ namespace, budget }));
    expect(await begin(wish({ namespace, budget }))).toBe("over-budget");
    expect(await desk.problems()).toEqual([]);
  });

  test("F2: what costs nothing is never refused for a budget", async () => {
    const namespace = await tenant();
    expect(await begin(wish({ namespace, budget: perDay(0n), estimate: ZERO }))).toBe("begun");
  });

  test("F2: of another namespace is not counted", async () => {
    const budget = perDay(100n);
    expect(await begin(wish({ namespace: await tenant(), budget }))).toBe("begun");
    expect(await begin(wish({ namespace: await tenant(), budget }))).toBe("begun");
  });

  test("F2: a job that turns up on the bill later spends nothing of the tenant's", async () => {
    const namespace = await tenant();
    const sent = await desk.sent(wish({ namespace, provider: "late-biller" }));
    await desk.books.end(sent, { ...NOT_CREATED, reason: "WrittenOff" }, []);
    const late = { jobId: "late", nth: 0, ref: sent.id, amount: 90n, billedAt: new Date() };
    await importUsage(desk.pool, "late-biller", [late]);
    expect(await bookUsage(desk.pool, () => desk.epoch, NEVER)).toMatchObject({ verdict: "late" });
    expect(await spent(namespace)).toEqual([0n, 0n]);
  });
});

describe("F2 a period", () => {
  test.each([
    { what: "day", budget: perDay(100n), interval: "1 day" } as const,
    { what: "month", budget: perMonth(100n), interval: "1 month" } as const,
  ])("F2: a $what later there is room again, without anybody's doing", async ({ budget, interval }) => {
    const namespace = await tenant();
    const first = await desk.accepted(wish({ namespace, budget }));
    expect(await begin(wish({ namespace, budget }))).toBe("over-budget");
    await age(database, namespace, interval);
    await desk.begun(wish({ namespace, budget }));
    // What is released of the past comes back to the past.
    await desk.books.end(first, charged(10n), []);
    expect(await begin(wish({ namespace, budget }))).toBe("over-budget");
    expect(await desk.problems()).toEqual([]);
  });

  test.each([
    { at: "2026-01-31T23:59:59.999999Z", day: 4n, month: 7n, dayEnds: "2026-02-01", monthEnds: "2026-02-01" },
    { at: "2026-02-01T00:00:00Z", day: 8n, month: 8n, dayEnds: "2026-02-02", monthEnds: "2026-03-01" },
    { at: "2026-01-31T23:30:00-05:00", day: 8n, month: 8n, dayEnds: "2026-02-02", monthEnds: "2026-03-01" },
    { at: "2025-12-31T12:00:00Z", day: 1n, month: 1n, dayEnds: "2026-01-01", monthEnds: "2026-01-01" },
    { at: "2026-01-02T00:00:00Z", day: 0n, month: 7n, dayEnds: "2026-01-03", monthEnds: "2026-02-01" },
  ])("F2: at $at the day has spent $day and the month $month, in UTC", async ({ at, ...expected }) => {
    await database.asSuperuser((client) =>
      client.query(`set timezone = 'Pacific/Kiritimati'; insert into genop.spending values
        ('calendar', '2025-12-31', 1), ('calendar', '2026-01-01', 3), ('calendar', '2026-01-31', 4),
        ('calendar', '2026-02-01', 8) on conflict do nothing`),
    );
    const { rows } = await desk.pool.query<Record<string, unknown>>(
      `select day, month, day_ends as "dayEnds", month_ends as "monthEnds" from genop.spent('calendar', $1)`,
      [at],
    );
    const { dayEnds, monthEnds, ...amounts } = expected;
    expect(rows).toEqual([{ ...amounts, dayEnds: new Date(dayEnds), monthEnds: new Date(monthEnds) }]);
    await database.asSuperuser((client) => client.query("delete from genop.spending where namespace = 'calendar'"));
  });
});

describe("F2 many at once", () => {
  test.each([{ connections: 20 }, { connections: 1 }])(
    "F2: twenty holds over $connections connections take what is there, and not a credit more",
    async ({ connections }) => {
      const namespace = await tenant();
      const crowd = await openDesk(database.pool({ maxConnections: connections }), desk.epoch);
      const budget = perMonth(750n);
      const wishes = Array.from({ length: 20 }, () => wish({ namespace, budget }));
      const outcomes = await Promise.all(wishes.map((one) => crowd.books.begin(one, NEVER)));
      expect(outcomes.filter(({ outcome }) => outcome === "begun")).toHaveLength(7);
      expect(outcomes.filter(({ outcome }) => outcome === "over-budget")).toHaveLength(13);
      expect(await spent(namespace)).toEqual([700n, 700n]);
    },
  );

  test("F2: one wish that is begun by twenty at once is counted once", async () => {
    const namespace = await tenant();
    const one = wish({ namespace, budget: perDay(1000n) });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => begin(one)));
    expect(outcomes.filter((outcome) => outcome === "begun")).toHaveLength(1);
    expect(await spent(namespace)).toEqual([100n, 100n]);
  });

  test("F2: holds and releases of one namespace in any order neither deadlock nor drift", async () => {
    const namespace = await tenant();
    const life = async (charge: bigint): Promise<void> => {
      const beginning = wish({ namespace, provider: `drift-${charge}`, budget: perDay(100_000n) });
      await desk.books.end(await desk.accepted(beginning), charged(charge), []);
    };
    await Promise.all(Array.from({ length: 12 }, (_, index) => life(BigInt(index * 10))));
    expect(await spent(namespace)).toEqual([660n - 10n, 660n - 10n]);
    expect(await desk.problems()).toEqual([]);
  });
});

test("F2: whoever spends most this month is told first", async () => {
  const [least, most] = [await tenant(), await tenant()];
  await desk.begun(wish({ namespace: least, estimate: micro(200_000n) }));
  await desk.begun(wish({ namespace: most, estimate: micro(900_000n) }));
  expect((await spentMost(desk.pool, 2, NEVER)).map(({ namespace }) => namespace)).toEqual([most, least]);
});
