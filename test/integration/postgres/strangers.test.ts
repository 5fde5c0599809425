// A bill is booked for a job that nobody knows, and the job turns out to be an attempt's after all.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { sealLedger } from "../../../operator/postgres/seal.ts";
import { importUsage } from "../../../operator/postgres/usage-import.ts";
import { bookUsage } from "../../../operator/postgres/usage.ts";
import { verifyLedger } from "../../../operator/postgres/verify-ledger.ts";
import { micro } from "../../../operator/task/credits.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";
import { GIVEN_UP } from "./late-world.ts";

const RUNBOOK = new URL("../../../docs/operations/runbooks/GenopBooksWrong.md", import.meta.url);

/** The correction as a person finds it. */
function runbookSql(): string {
  const [, sql] = /```sql\n([\s\S]*?)```/.exec(readFileSync(RUNBOOK, "utf8")) ?? [];
  if (sql === undefined) throw new Error("the runbook has no correction");
  return sql;
}

let database: TestDatabase;
let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ database, desk } = opened));

describe("I5: a job that the bill showed as a stranger's, and an attempt is bound to afterwards", () => {
  test.each([
    { what: "for what it cost", charge: 60n },
    { what: "for nothing", charge: 0n },
  ])("is owed once, ended $what", async ({ charge }) => {
    const provider = `stranger-${charge}`;
    const line = { jobId: "job-s", nth: 0, ref: undefined, amount: 60n, billedAt: new Date("2026-06-01T12:00:00Z") };
    await importUsage(desk.pool, provider, [line]);
    expect(await bookUsage(desk.pool, () => desk.epoch, NEVER)).toMatchObject({ verdict: "stranger" });
    const attempt = await desk.accepted(wish({ provider }), "job-s");
    await desk.books.end(attempt, { ...GIVEN_UP, reason: "JobFailed", charge: micro(charge) }, []);
    expect(await payable(provider, attempt.id)).toBe(60n);
    // A second part of the same bill is owed beside it.
    await importUsage(desk.pool, provider, [{ ...line, nth: 1, amount: 5n }]);
    expect(await bookUsage(desk.pool, () => desk.epoch, NEVER)).toMatchObject({ difference: 5n });
    expect([await payable(provider, attempt.id), await desk.problems()]).toEqual([65n, []]);
  });

  test("and so is one that the bill had shown as the late job of an attempt before", async () => {
    const provider = "stranger-late";
    const given = await desk.sent(wish({ provider }));
    await desk.books.markAmbiguous(given, "reset", 0);
    await desk.books.end(given, { ...GIVEN_UP, task: undefined }, []);
    const line = { jobId: "job-l", nth: 0, ref: given.id, amount: 60n, billedAt: new Date("2026-06-01T12:00:00Z") };
    await importUsage(desk.pool, provider, [line]);
    expect(await bookUsage(desk.pool, () => desk.epoch, NEVER)).toMatchObject({ verdict: "late" });
    const attempt = await desk.accepted(wish({ provider }), "job-l");
    await desk.books.end(attempt, { ...GIVEN_UP, reason: "JobFailed", charge: micro(60n) }, []);
    expect([await payable(provider, attempt.id), await desk.problems()]).toEqual([60n, []]);
  });

  test("is a row of the report where an older version owed it twice, until the runbook's correction, which the chain takes", async () => {
    const provider = "owed-twice";
    const line = { jobId: "job-o", nth: 0, ref: undefined, amount: 60n, billedAt: new Date("2026-06-01T12:00:00Z") };
    await importUsage(desk.pool, provider, [line]);
    await bookUsage(desk.pool, () => desk.epoch, NEVER);
    // As it was before: the attempt ends as if the bill had not been booked yet.
    const attempt = await desk.accepted(wish({ provider }), "other-id");
    await desk.books.end(attempt, { ...GIVEN_UP, reason: "JobFailed", charge: micro(60n) }, []);
    await database.asSuperuser((client) =>
      client.query(
        `begin; set local session_replication_role = replica;
         update genop.attempts set job_id = 'job-o' where id = '${attempt.id}'; commit`,
      ),
    );
    expect(await desk.problems()).toEqual(["owed_mismatch"]);
    const { rows } = await desk.pool.query("select provider, job_id, owed, billed from genop.report_owed_mismatch");
    expect(rows).toEqual([{ provider, job_id: "job-o", owed: 120n, billed: 60n }]);

    const correction = runbookSql().replace("<provider>", provider).replace("<job>", "job-o");
    await desk.pool.query(correction);
    expect(await desk.problems()).toEqual([]);
    expect(await payable(provider, attempt.id)).toBe(60n);
    expect((await desk.pool.query(correction)).rowCount).toBe(0);
    await sealLedger(desk.pool, () => desk.epoch, NEVER);
    const reader = database.pool({ url: database.readerUrl });
    expect(await verifyLedger(reader, [], NEVER)).toMatchObject({ broken: undefined });
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
