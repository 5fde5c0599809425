// F3, F4: a provider's bill against the attempts, over real Postgres: what each line is, and what it moves.
import { describe, expect, test } from "@jest/globals";
import { importUsage } from "../../../operator/postgres/usage-import.ts";
import { bookUsage } from "../../../operator/postgres/usage.ts";
import type { BookedLine } from "../../../operator/postgres/usage.ts";
import type { UsageLine } from "../../../operator/task/bill.ts";
import { ZERO, micro } from "../../../operator/task/credits.ts";
import type { Ending } from "../../../operator/task/action.ts";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import { NEVER, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";

let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ desk } = opened));

let providers = 0;
const anyProvider = (): string => `provider-${(providers += 1)}`;

const FAILED: Ending = {
  reason: "JobFailed",
  charge: micro(60n),
  retryAfterMs: undefined,
  task: { phase: "Failed", reason: "JobFailed", message: "m" },
};
const WRITTEN_OFF: Ending = { ...FAILED, reason: "WrittenOff", charge: ZERO };

function line(jobId: string, amount: bigint, more: Partial<UsageLine> = {}): UsageLine {
  return { jobId, amount, nth: 0, ref: undefined, billedAt: new Date("2026-06-01T12:00:00Z"), ...more };
}

async function ended(provider: string, jobId: string): Promise<AttemptIn<"accepted">> {
  const attempt = await desk.accepted(wish({ provider }), jobId);
  await desk.books.end(attempt, FAILED, []);
  return attempt;
}

async function bookAll(): Promise<readonly BookedLine[]> {
  const booked: BookedLine[] = [];
  for (;;) {
    const one = await bookUsage(desk.pool, () => desk.epoch, NEVER);
    if (!one) return booked;
    booked.push(one);
  }
}

async function totals(): Promise<Readonly<Record<string, bigint>>> {
  const { rows } = await desk.pool.query<{ kind: string; total: bigint }>(
    `select account.kind, coalesce(sum(entry.amount), 0) as total from genop.accounts account
       left join genop.entries entry on entry.account_id = account.id group by account.kind`,
  );
  return Object.fromEntries(rows.map(({ kind, total }) => [kind, total]));
}

const moved = (
  before: Readonly<Record<string, bigint>>,
  after: Readonly<Record<string, bigint>>,
): Readonly<Record<string, bigint>> =>
  Object.fromEntries(
    Object.keys(after)
      .map((kind) => [kind, (after[kind] ?? 0n) - (before[kind] ?? 0n)] as const)
      .filter(([, amount]) => amount !== 0n),
  );

describe("a line of the bill", () => {
  test.each([
    { what: "as booked", amount: 60n, verdict: "matched", difference: 0n },
    { what: "dearer than booked", amount: 75n, verdict: "price", difference: 15n },
    { what: "cheaper than booked", amount: 50n, verdict: "price", difference: -10n },
  ])("$what is $verdict, and moves the difference between the platform's accounts alone", async (row) => {
    const provider = anyProvider();
    await ended(provider, "job");
    await importUsage(desk.pool, provider, [line("job", row.amount)]);
    const before = await totals();
    const { difference, verdict } = row;
    expect(await bookAll()).toEqual([{ provider, jobId: "job", verdict, difference }]);
    const expected = difference === 0n ? {} : { loss: -difference, "provider-payable": difference };
    expect(moved(before, await totals())).toEqual(expected);
  });

  test("for a submit that was given up is late, and the whole of it is loss", async () => {
    const provider = anyProvider();
    const sent = await desk.sent(wish({ provider }));
    await desk.books.end(sent, WRITTEN_OFF, []);
    await importUsage(desk.pool, provider, [line("late", 70n, { ref: sent.id })]);
    const before = await totals();
    expect(await bookAll()).toMatchObject([{ verdict: "late", difference: 70n }]);
    expect(moved(before, await totals())).toEqual({ loss: -70n, "provider-payable": 70n });
  });

  test("that comes again, and a second job for one attempt, are duplicates", async () => {
    const provider = anyProvider();
    const { id } = await ended(provider, "one");
    const lines = [line("one", 60n), line("one", 60n, { nth: 1 }), line("two", 60n, { ref: id })];
    await importUsage(desk.pool, provider, lines);
    const verdicts = (await bookAll()).map(({ difference, jobId, verdict }) => [jobId, verdict, difference]);
    expect(verdicts).toEqual([
      ["one", "matched", 0n],
      ["one", "duplicate", 60n],
      ["two", "duplicate", 60n],
    ]);
  });

  test("for nobody is a stranger, once no lost submit can be the one that made it", async () => {
    const provider = anyProvider();
    const sent = await desk.sent(wish({ provider }));
    const recent = line("nobody's", 9n, { billedAt: new Date() });
    await importUsage(desk.pool, provider, [recent]);
    expect(await bookAll()).toEqual([]);
    await desk.books.end(sent, WRITTEN_OFF, []);
    expect(await bookAll()).toMatchObject([{ verdict: "stranger", difference: 9n }]);
  });

  test("of an attempt that has not ended waits for its end", async () => {
    const provider = anyProvider();
    const attempt = await desk.accepted(wish({ provider }), "open");
    await importUsage(desk.pool, provider, [line("open", 60n)]);
    expect(await bookAll()).toEqual([]);
    await desk.books.end(attempt, FAILED, []);
    expect(await bookAll()).toMatchObject([{ verdict: "matched" }]);
  });

  test("that is imported again is neither written nor booked again", async () => {
    const provider = anyProvider();
    await ended(provider, "job");
    expect(await importUsage(desk.pool, provider, [line("job", 75n)])).toBe(1);
    await bookAll();
    expect(await importUsage(desk.pool, provider, [line("job", 75n)])).toBe(0);
    expect(await bookAll()).toEqual([]);
  });

  test("that is known with another amount is no line of the same bill, and nothing beside it is taken", async () => {
    const provider = anyProvider();
    await importUsage(desk.pool, provider, [line("job", 75n)]);
    const again = importUsage(desk.pool, provider, [line("new", 1n), line("job", 99n)]);
    await expect(again).rejects.toThrow(
      "cannot import the bill: a job has a line of the same moment with another amount",
    );
    expect(await importUsage(desk.pool, provider, [line("new", 1n)])).toBe(1);
  });

  test("of another moment is another line of its job, whichever of them comes first, and however often", async () => {
    const provider = anyProvider();
    await ended(provider, "job");
    const later = line("job", 5n, { billedAt: new Date("2026-06-03T12:00:00Z") });
    const both = [line("job", 60n), later];
    expect(await importUsage(desk.pool, provider, [later])).toBe(1);
    expect([await importUsage(desk.pool, provider, both), await importUsage(desk.pool, provider, both)]).toEqual([
      1, 0,
    ]);
    expect(await importUsage(desk.pool, provider, [...both, line("job", 60n, { nth: 1 })])).toBe(1);
    const own = (await bookAll()).filter((booked) => booked.provider === provider);
    const verdicts = own.map(({ difference, verdict }) => [verdict, difference]);
    expect(verdicts.sort()).toEqual([
      ["duplicate", 5n],
      ["duplicate", 60n],
      ["matched", 0n],
    ]);
  });

  test("is left alone by a deposed leader, and its judgement by everybody", async () => {
    const provider = anyProvider();
    await ended(provider, "job");
    await importUsage(desk.pool, provider, [line("job", 60n)]);
    expect(await bookUsage(desk.pool, () => undefined, NEVER)).toBeUndefined();
    await bookAll();
    const change = "update genop.usage_lines set verdict = 'late' where provider = $1";
    await expect(desk.pool.query(change, [provider])).rejects.toMatchObject({ code: "GN002" });
  });

  test("leaves the books right, and its findings where people look", async () => {
    expect(await desk.problems()).toEqual([]);
    const { rows } = await desk.pool.query<{ verdict: string }>("select distinct verdict from genop.usage_findings");
    expect(rows.map(({ verdict }) => verdict).sort()).toEqual(["duplicate", "late", "price", "stranger"]);
  });
});

test("a job that was charged and is on no bill of its time is listed", async () => {
  const provider = anyProvider();
  const { id } = await ended(provider, "unbilled");
  const days = (count: number): Date => new Date(Date.now() + count * 86_400_000);
  await importUsage(desk.pool, provider, [
    line("before", 1n, { billedAt: days(-3) }),
    line("after", 1n, { billedAt: days(3) }),
  ]);
  const { rows } = await desk.pool.query("select attempt_id from genop.usage_unbilled where provider = $1", [provider]);
  expect(rows).toEqual([{ attempt_id: id }]);
});
