// A bill is booked for a job that nobody knows, and the job turns out to be an attempt's after all.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { bookUsage, importUsage } from "../../../operator/postgres/usage.ts";
import { micro } from "../../../operator/task/credits.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, openDesk, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { GIVEN_UP } from "./late-world.ts";

let database: TestDatabase;
let desk: Desk;
beforeAll(async () => {
  database = await openDatabase();
  desk = await openDesk(database.pool());
  await desk.grant("studio", 1_000_000n);
});
afterAll(() => database.close());

describe("I5: a job that the bill showed as a stranger's, and an attempt is bound to afterwards", () => {
  test.each([
    { what: "for what it cost", charge: 60n },
    { what: "for nothing", charge: 0n },
  ])("is owed once, ended $what", async ({ charge }) => {
    const provider = `stranger-${charge}`;
    const line = { jobId: "job-s", part: 0, ref: undefined, amount: 60n, billedAt: new Date("2026-06-01T12:00:00Z") };
    await importUsage(desk.pool, provider, [line]);
    expect(await bookUsage(desk.pool, () => desk.epoch, NEVER)).toMatchObject({ verdict: "stranger" });
    const attempt = await desk.accepted(wish({ provider }), "job-s");
    await desk.books.end(attempt, { ...GIVEN_UP, reason: "JobFailed", charge: micro(charge) }, []);
    expect(await payable(provider, attempt.id)).toBe(60n);
    // A second part of the same bill is owed beside it.
    await importUsage(desk.pool, provider, [{ ...line, part: 1, amount: 5n }]);
    expect(await bookUsage(desk.pool, () => desk.epoch, NEVER)).toMatchObject({ difference: 5n });
    expect([await payable(provider, attempt.id), await desk.problems()]).toEqual([65n, []]);
  });

  test("and so is one that the bill had shown as the late job of an attempt before", async () => {
    const provider = "stranger-late";
    const given = await desk.sent(wish({ provider }));
    await desk.books.markAmbiguous(given, "reset", 0);
    await desk.books.end(given, { ...GIVEN_UP, task: undefined }, []);
    const line = { jobId: "job-l", part: 0, ref: given.id, amount: 60n, billedAt: new Date("2026-06-01T12:00:00Z") };
    await importUsage(desk.pool, provider, [line]);
    expect(await bookUsage(desk.pool, () => desk.epoch, NEVER)).toMatchObject({ verdict: "late" });
    const attempt = await desk.accepted(wish({ provider }), "job-l");
    await desk.books.end(attempt, { ...GIVEN_UP, reason: "JobFailed", charge: micro(60n) }, []);
    expect([await payable(provider, attempt.id), await desk.problems()]).toEqual([60n, []]);
  });

  /** By the bill, and by the attempt's end. */
  async function payable(provider: string, attemptId: string): Promise<bigint> {
    const { rows } = await desk.pool.query<{ owed: bigint }>(
      `select coalesce(sum(entry.amount), 0)::bigint as owed
         from genop.ledger_transactions header
         join genop.entries entry on entry.transaction_id = header.id
         join genop.accounts account on account.id = entry.account_id and account.kind = 'provider-payable'
        where (header.operation = 'resolve' and header.business_id = $2) or starts_with(header.business_id, $1 || '/')`,
      [provider, attemptId],
    );
    return rows[0]?.owed ?? 0n;
  }
});
