// What each lock on a row is for. Another session holds what the first step of an operation needs, so that the operations meet in
// one order and no other; then it lets go. Nothing here depends on who is faster.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Client } from "pg";
import { handIn, noteReading, unread } from "../../../operator/postgres/inbox.ts";
import { checkDatabase } from "../../../operator/postgres/installation.ts";
import { importUsage } from "../../../operator/postgres/usage-import.ts";
import { bookUsage } from "../../../operator/postgres/usage.ts";
import type { Admission } from "../../../operator/task/quota.ts";
import type { Ending } from "../../../operator/task/action.ts";
import type { ProviderJobId } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, NOT_CREATED, UNLIMITED, openDesk, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { newLine } from "./line.ts";
import { blockedBackends, until } from "./watch.ts";

let database: TestDatabase;
let desk: Desk;
beforeAll(async () => {
  database = await openDatabase();
  desk = await openDesk(database.pool({ lockTimeoutMs: PATIENCE_MS, statementTimeoutMs: PATIENCE_MS }));
  await desk.grant("studio", 1_000_000n);
});
afterAll(() => database.close());

/** Longer than a busy machine takes to bring all of them to their lock. */
const PATIENCE_MS = 20_000;
const STALE = { outcome: "stale" };
const NO_PLACE: Admission = { ...UNLIMITED, inFlight: 0 };
const FAILED: Ending = {
  reason: "JobFailed",
  charge: micro(60n),
  retryAfterMs: undefined,
  task: { phase: "Failed", reason: "JobFailed", message: "m" },
};

interface Held {
  /** What another session locks. */
  readonly lock: string;
  readonly values?: readonly unknown[];
  /** What that session does when all wait. */
  readonly then?: (holder: Client) => Promise<unknown>;
}

/** Starts the works in this order, each when the one before waits for a lock; what they come to when the lock is let go. */
async function behind<T>(
  { lock, then, values = [] }: Held,
  works: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  const under: Promise<T>[] = [];
  await database.asSuperuser(async (holder) => {
    await holder.query("begin");
    await holder.query(lock, [...values]);
    try {
      for (const work of works) {
        under.push(work());
        await until(async () => (await blockedBackends(database)) >= under.length);
      }
      await then?.(holder);
    } finally {
      await holder.query("rollback");
      await Promise.allSettled(under);
    }
  });
  return Promise.all(under);
}

const TASK_OF = "select from genop.tasks where key = (select task_key from genop.attempts where id = $1) for update";
const BALANCES = "select from genop.balances for update";

/** Whether nobody has touched the attempt: a session that has its task can go on to it. */
const attemptIsFree =
  ({ id }: { readonly id: string }) =>
  (holder: Client) =>
    holder.query("select from genop.attempts where id = $1 for update nowait", [id]);

describe("the lock of a task", () => {
  test("I4: it does not end under an attempt that is being begun", async () => {
    const beginning = wish();
    await desk.books.end(await desk.begun(beginning), NOT_CREATED, []);
    const cancelled = { phase: "Cancelled", reason: "Deleted", message: "" } as const;
    const outcomes = await behind<{ readonly outcome: string }>({ lock: BALANCES }, [
      () => desk.books.begin(beginning, NEVER),
      () => desk.books.endTask(beginning, cancelled),
    ]);
    expect(outcomes).toMatchObject([{ outcome: "begun" }, STALE]);
    expect((await desk.books.load(beginning.key, NEVER)).record?.ended).toBeUndefined();
  });

  test("I4: an attempt that ends while its submit is asked for gets no place, and stays as it ended", async () => {
    const attempt = await desk.begun();
    const outcomes = await behind<{ readonly outcome: string }>({ lock: BALANCES }, [
      () => desk.books.end(attempt, NOT_CREATED, []),
      () => desk.books.markSent(attempt, NO_PLACE, 30_000, NEVER),
    ]);
    expect(outcomes).toMatchObject([{ outcome: "done" }, STALE]);
  });

  // Whoever takes the attempt first and the task then waits in a circle with whoever does it in order.
  test("comes before the lock of its attempt: an end", async () => {
    const attempt = await desk.accepted();
    const held = { lock: TASK_OF, values: [attempt.id], then: attemptIsFree(attempt) };
    expect(await behind(held, [() => desk.books.end(attempt, FAILED, [])])).toMatchObject([{ outcome: "done" }]);
  });

  test("comes before the lock of its attempt: a submit that must wait", async () => {
    const attempt = await desk.begun();
    const held = { lock: TASK_OF, values: [attempt.id], then: attemptIsFree(attempt) };
    const outcomes = await behind(held, [() => desk.books.markSent(attempt, NO_PLACE, 30_000, NEVER)]);
    expect(outcomes).toMatchObject([{ outcome: "queued" }]);
  });
});

test("the lock of a provider's rate: of three that saw the last place free, one gets it", async () => {
  const line = newLine(desk);
  const attempts = await line.joinMany(3);
  await database.asSuperuser((client) =>
    client.query("insert into genop.rates (provider) values ($1)", [line.provider]),
  );
  const held = { lock: "select from genop.rates where provider = $1 for update", values: [line.provider] };
  const outcomes = await behind(
    held,
    attempts.map((attempt) => () => line.ask(attempt, { inFlight: 1 })),
  );
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["queued", "queued", "sent"]);
});

test("the lock of an attempt: two messages that each name the eighth job leave eight", async () => {
  const { id } = await desk.sent();
  const receiver = database.pool({ url: database.receiverUrl });
  for (const digest of [randomUUID(), randomUUID()])
    await handIn(receiver, { attemptId: id, digest, headers: {}, body: Buffer.from("") });
  const messages = (await unread(desk.pool, { atMost: 1000 }, NEVER)).filter(({ attemptId }) => attemptId === id);
  await database.asSuperuser((client) =>
    client.query(
      "insert into genop.claims (attempt_id, job_id) select $1, 'job-' || nth from generate_series(1, 7) nth",
      [id],
    ),
  );
  const held = { lock: "select from genop.attempts where id = $1 for update", values: [id] };
  const readings = messages.map((message, nth) => () => {
    const jobId = `named-${nth}` as ProviderJobId;
    return noteReading(desk.pool, () => desk.epoch, { ...message, verdict: "heard", isHint: true, jobId });
  });
  expect(await behind(held, readings)).toHaveLength(2);
  expect((await desk.pool.query("select from genop.claims where attempt_id = $1", [id])).rowCount).toBe(8);
});

test("the lock of the installation: of two that adopt it at once, one has it and the other is told so", async () => {
  const { pool } = desk;
  await checkDatabase(pool, { clusterUid: "before" });
  const claims = ["one", "other"].map((clusterUid) => async () => {
    const refused = await checkDatabase(pool, { clusterUid, adoptFrom: "before" }).catch((error: unknown) => error);
    return { clusterUid, refused };
  });
  const answers = await behind({ lock: "select from genop.installation for update" }, claims);
  const { rows } = await pool.query<{ cluster_uid: string }>("select cluster_uid from genop.installation");
  for (const { clusterUid, refused } of answers) {
    const hasIt = clusterUid === rows[0]?.cluster_uid;
    expect(refused).toEqual(hasIt ? undefined : expect.objectContaining({ code: "OTHER_INSTALLATION" }));
  }
});

test("the lock of a line of the bill: one that somebody books is left to them, and the next is booked", async () => {
  const billed = { nth: 0, ref: undefined, amount: 1n };
  await importUsage(desk.pool, "billing", [
    { ...billed, jobId: "first", billedAt: new Date("2026-01-01T00:00:00Z") },
    { ...billed, jobId: "second", billedAt: new Date("2026-01-02T00:00:00Z") },
  ]);
  await database.asSuperuser(async (holder) => {
    await holder.query("begin");
    await holder.query("select from genop.usage_lines where job_id = 'first' for update");
    const booked = await bookUsage(desk.pool, () => desk.epoch, NEVER);
    await holder.query("rollback");
    expect(booked).toMatchObject({ jobId: "second" });
  });
  expect(await bookUsage(desk.pool, () => desk.epoch, NEVER)).toMatchObject({ jobId: "first" });
});

test("the lock of a provider's bill: of two that bring the same line at once, one does, and the other finds it", async () => {
  const at = new Date("2026-01-01T00:00:00Z");
  const lines = [{ jobId: "job", nth: 0, ref: undefined, amount: 1n, billedAt: at }];
  const bring = (): Promise<number> => importUsage(desk.pool, "twice", lines);
  const lock = `insert into genop.usage_lines (provider, job_id, amount, billed_at) values ('twice', 'job', 1, $1)`;
  expect(await behind({ lock, values: [at] }, [bring, bring])).toEqual([1, 0]);
});

test("the lock of an attempt in check_refund(): of two refunds that the code did not keep apart, the second is refused", async () => {
  const attempt = await desk.accepted();
  await desk.books.end(attempt, FAILED, []);
  const give = `
    insert into genop.refunds (uid, namespace, attempt_id, amount, reason, decided_by, transaction_id, write_off_transaction_id)
    select $1, 'studio', attempt_id, settled, '', '', transaction_id, transaction_id
      from genop.hold_resolutions where attempt_id = $2`;
  const refused = await database.asSuperuser(async (first) => {
    await first.query("begin");
    await first.query(give, ["first", attempt.id]);
    const second = desk.pool.query(give, ["second", attempt.id]).then(
      () => "given",
      (error: unknown) => error,
    );
    await Promise.race([second, until(async () => (await blockedBackends(database)) > 0)]);
    await first.query("commit");
    return second;
  });
  expect(refused).toMatchObject({ code: "GN007" });
});
