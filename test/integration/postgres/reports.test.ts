// Every report finds what it is there for: the wrong is planted by a superuser behind the guards' back, and the report must tell.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { pruneCalls } from "../../../operator/postgres/calls.ts";
import { REPORTS } from "../../../operator/postgres/reports.ts";
import type { ReportName } from "../../../operator/postgres/reports.ts";
import { micro } from "../../../operator/task/credits.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, NOT_CREATED, openDesk, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";

let database: TestDatabase;
let desk: Desk;
beforeAll(async () => {
  database = await openDatabase();
  desk = await openDesk(database.pool());
  await desk.grant("studio", 1_000_000n);
  await desk.books.end(await desk.accepted(), { ...NOT_CREATED, reason: "JobFailed", charge: micro(10n) }, []);
  await desk.begun();
});
afterAll(() => database.close());

/** What a superuser must do to make each wrong, with every guard switched off; undone afterwards. */
const WRONGS: Readonly<Record<ReportName, string>> = {
  unbalanced_transactions:
    "update genop.entries set amount = amount + 1 where account_id = (select id from genop.accounts where kind = 'revenue')",
  balance_mismatch: "update genop.balances set balance = balance + 1",
  version_gaps: "update genop.entries set account_version = account_version + 5 where balance_after is not null",
  open_holds_of_ended_tasks: "delete from genop.hold_resolutions",
  holds_past_age: "update genop.holds set placed_at = now() - interval '9 days'",
  settled_without_attempt:
    "update genop.attempts set sent_at = null, deadline = null, job_id = null, accepted_at = null, next_poll_at = null where state = 'ended'",
  charged_without_settlement: "update genop.attempts set charge = charge + 1 where state = 'ended'",
  attempts_without_hold: "delete from genop.hold_resolutions; delete from genop.holds",
  reservation_mismatch: `update genop.tasks set ended_at = now(), ended_phase = 'Failed', ended_reason = '', ended_message = ''
                          where exists (select from genop.attempts where task_key = key and state = 'intended')`,
  held_mismatch:
    "update genop.balances set balance = balance - 1 where account_id = (select id from genop.accounts where kind = 'held')",
  spending_mismatch: "update genop.spending set spent = spent + 1",
  negative_balances:
    "alter table genop.balances drop constraint balances_never_negative; update genop.balances set balance = -1",
  two_live_attempts: `drop index genop.attempts_one_live;
    insert into genop.attempts (id, task_key, number, namespace, provider, model, priority)
    select gen_random_uuid(), task_key, number + 1, namespace, provider, model, priority from genop.attempts where state = 'intended'`,
  live_attempts_of_ended_tasks:
    "update genop.tasks set ended_at = now(), ended_phase = 'Failed', ended_reason = '', ended_message = ''",
  submits_without_mark: `insert into genop.calls (attempt_id, operation, epoch)
    select id, 'submit', 1 from genop.attempts where state = 'intended'`,
  refund_mismatch: `insert into genop.refunds (uid, namespace, attempt_id, amount, reason, decided_by, transaction_id, write_off_transaction_id)
    select 'r', 'studio', attempt_id, 5, 'r', 'b', 1, 1 from genop.hold_resolutions`,
  usage_mismatch: `insert into genop.usage_lines (provider, job_id, amount, billed_at, judged_at, verdict, booked, difference, transaction_id)
    select 'acme', 'j', 7, now(), now(), 'stranger', 0, 7, min(id) from genop.ledger_transactions where operation = 'grant'`,
  late_mismatch: `insert into genop.late_searches (attempt_id, provider, state, job_id, found_at, found_by, over_at, verdict, charge, transaction_id)
    select attempt.id, 'acme', 'over', 'late', now(), 'list', now(), 'succeeded', 7, header.id
      from genop.attempts attempt, genop.ledger_transactions header where attempt.state = 'ended' and header.operation = 'grant'`,
  owed_mismatch: `insert into genop.usage_lines (provider, job_id, amount, billed_at, judged_at, verdict, booked, difference, transaction_id)
    select provider, job_id, 10, now(), now(), 'stranger', 0, 10, 1 from genop.attempts where state = 'ended'`,
  unsealed_transactions: "update genop.ledger_transactions set posted_at = now() - interval '2 hours'",
};

const WITHOUT_GUARDS = `
do $$ declare guarded text; begin
  for guarded in select tablename from pg_tables where schemaname = 'genop' loop
    execute format('alter table genop.%I disable trigger all', guarded);
  end loop;
  for guarded in select format('alter table genop.attempts drop constraint %I', conname) from pg_constraint
                  where conrelid = 'genop.attempts'::regclass and contype = 'c' loop
    execute guarded;
  end loop;
end $$`;

describe("the reports", () => {
  test("are all empty while the books are right", async () => {
    expect(await desk.reports.run(NEVER)).toEqual(REPORTS.map((report) => ({ report, rows: 0 })));
  });

  test.each(REPORTS)("%s tells its wrong", async (report) => {
    const found = await database.asSuperuser(async (client) => {
      await client.query("begin");
      await client.query(WITHOUT_GUARDS);
      await client.query(WRONGS[report]);
      const { rows } = await client.query<{ found: number }>(
        `select count(*)::integer as found from genop.report_${report}`,
      );
      await client.query("rollback");
      return rows[0]?.found ?? 0;
    });
    expect(found).toBeGreaterThan(0);
  });

  test("name every view of the schema that begins with report_, and no other", async () => {
    const { rows } = await desk.pool.query<{ name: string }>(
      `select substring(viewname from 8) as name from pg_views where schemaname = 'genop' and viewname like 'report\\_%'`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...REPORTS].sort());
  });
});

describe("the counts", () => {
  test("tell what each provider has: waiting, in flight, unknown, being copied", async () => {
    const provider = "counted";
    await desk.begun(wish({ provider }));
    const asks = await desk.begun(wish({ provider }));
    const nothing = { inFlight: 0, modelInFlight: undefined, namespaceInFlight: undefined, rate: undefined };
    await desk.books.markSent(asks, nothing, 1000, NEVER);
    await desk.sent(wish({ provider }));
    await desk.books.markAmbiguous(await desk.sent(wish({ provider })), "reset", 0);
    await desk.accepted(wish({ provider }));
    await desk.ready(wish({ provider }));
    const counts = (await desk.reports.counts(NEVER)).find((one) => one.provider === provider);
    expect(counts).toMatchObject({ waiting: 1, inFlight: 3, unknown: 1, fetching: 1 });
    expect(counts?.oldestUnknownSeconds).toBeGreaterThan(0);
    expect(await desk.reports.countsOf(provider, NEVER)).toMatchObject({ waiting: 1, inFlight: 3, unknown: 1 });
    expect(await desk.reports.countsOf("nobody's", NEVER)).toBeUndefined();
  });
});

describe("the attempts of a provider", () => {
  test("are told the oldest first, each as far as it came", async () => {
    const provider = "audited";
    const accepted = await desk.accepted(wish({ provider }), "known");
    const lost = await desk.sent(wish({ provider }));
    const refused = await desk.sent(wish({ provider }));
    const writtenOff = await desk.sent(wish({ provider }));
    await desk.books.end(refused, { ...NOT_CREATED, reason: "Refused" }, []);
    await desk.books.end(writtenOff, { ...NOT_CREATED, reason: "WrittenOff" }, []);
    expect(await desk.reports.attempts(provider, 10, NEVER)).toMatchObject([
      { attemptId: accepted.id, jobId: "known", state: "accepted", sent: true, charge: undefined, taskParked: false },
      { attemptId: lost.id, jobId: undefined, state: "sent" },
      { attemptId: refused.id, reason: "Refused", charge: 0n },
      { attemptId: writtenOff.id, reason: "WrittenOff" },
    ]);
  });
});

describe("the log of calls", () => {
  test("holds the submit with its end and every search, and forgets only what is old and over", async () => {
    const beginning = wish({ provider: "logged" });
    const sent = await desk.sent(beginning);
    await desk.books.markAmbiguous(sent, "headers-timeout", 0);
    await desk.books.noteLook(sent, { missed: true, nextAfterMs: 0 });
    await desk.books.markAccepted(sent, "found-again" as never, 0);
    const calls = async () => {
      const { rows } = await desk.pool.query<{ operation: string; outcome: string; code: string | null }>(
        "select operation, outcome, code from genop.calls where attempt_id = $1 order by id",
        [sent.id],
      );
      return rows.map(({ code, operation, outcome }) => [operation, outcome, code]);
    };
    const all = [
      ["submit", "ambiguous", "headers-timeout"],
      ["search", "missed", null],
      ["search", "found", null],
    ];
    expect(await calls()).toEqual(all);
    const prune = () => pruneCalls(desk.pool, () => desk.epoch, { olderThanMs: 0, atMost: 1000 }, NEVER);
    await prune();
    expect(await calls()).toEqual(all);
    await desk.books.end(await desk.attempt(beginning.key, "accepted"), { ...NOT_CREATED, reason: "JobFailed" }, []);
    expect(await prune()).toMatchObject({ outcome: "done" });
    expect(await calls()).toEqual([]);
  });
});
