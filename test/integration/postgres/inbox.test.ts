// The webhook inbox over real Postgres: who may hand in, what is kept of it, and what a message may change.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Pool } from "pg";
import { handIn, listen, noteReading, pruneInbox, unread } from "../../../operator/postgres/inbox.ts";
import type { Handed, Unread } from "../../../operator/postgres/inbox.ts";
import { makePool } from "../../../operator/postgres/pool.ts";
import type { ProviderJobId } from "../../../operator/task/brand.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, openDesk, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";

let database: TestDatabase;
let desk: Desk;
let receiver: Pool;
beforeAll(async () => {
  database = await openDatabase();
  desk = await openDesk(database.pool());
  await desk.grant("studio", 1_000_000n);
  receiver = makePool({ url: database.receiverUrl, applicationName: "receiver-test", maxConnections: 4 });
});
afterAll(async () => {
  await receiver.end();
  await database.close();
});

const message = (attemptId: string, digest: string = randomUUID()): Handed => ({
  attemptId,
  digest,
  headers: { "webhook-id": "m" },
  body: Buffer.from([0, 255, 10]),
});
const rowsOf = async (attemptId: string): Promise<readonly Unread[]> =>
  (await unread(desk.pool, { atMost: 1000 }, NEVER)).filter((one) => one.attemptId === attemptId);
const read = async (attemptId: string, isHint: boolean, jobId?: string): Promise<void> => {
  for (const { attemptId: id, id: row } of await rowsOf(attemptId))
    await noteReading(desk.pool, () => desk.epoch, {
      ...{ id: row, attemptId: id, verdict: isHint ? "heard" : "forged", isHint },
      jobId: jobId as ProviderJobId | undefined,
    });
};

describe("the receiver's role", () => {
  test("hands a message in, byte for byte, once", async () => {
    const { id } = await desk.sent();
    const one = message(id);
    expect([await handIn(receiver, one), await handIn(receiver, one)]).toEqual([true, false]);
    expect(await rowsOf(id)).toMatchObject([{ provider: "acme", headers: one.headers, body: one.body }]);
  });

  test.each([
    "select * from genop.webhook_inbox",
    "select * from genop.attempts",
    "select * from genop.tasks",
    "insert into genop.claims (attempt_id, job_id) values (gen_random_uuid(), 'j')",
    "insert into genop.webhook_inbox (attempt_id, digest, headers, body) values (gen_random_uuid(), 'd', '{}', '')",
    "delete from genop.webhook_inbox",
    "update genop.leadership set epoch = epoch + 1",
    "select genop.lock_available('studio')",
  ])("may not %s", async (statement) => {
    await expect(receiver.query(statement)).rejects.toMatchObject({ code: "42501" });
  });

  test("leaves no row for an attempt that does not exist, and no more than 64 for one", async () => {
    expect(await handIn(receiver, message(randomUUID()))).toBe(false);
    const { id } = await desk.sent();
    const handed: boolean[] = [];
    for (let nth = 0; nth < 66; nth++) handed.push(await handIn(receiver, message(id)));
    expect(handed.filter(Boolean)).toHaveLength(64);
    await read(id, false);
  });

  test("wakes who listens", async () => {
    const { id } = await desk.sent();
    const stop = new AbortController();
    const heard = Promise.withResolvers<undefined>();
    const listening = listen(desk.pool, "genop_inbox", () => heard.resolve(undefined), stop.signal);
    // Until it listens, nobody is woken: hand in until somebody is.
    const again = setInterval(() => void handIn(receiver, message(id)), 50);
    await heard.promise;
    clearInterval(again);
    stop.abort();
    await listening;
    await read(id, false);
  });
});

describe("a message that was read", () => {
  test("moves the next query of a running job to now, and nothing else", async () => {
    const beginning = wish();
    const before = await desk.accepted(beginning);
    await desk.books.notePoll(before, { nextAfterMs: 600_000, progress: 7, doubt: "none" });
    const { nextPollAt, ...rest } = await desk.attempt(beginning.key, "accepted");
    await handIn(receiver, message(before.id));
    await read(before.id, true, "another-job");
    const after = await desk.attempt(beginning.key, "accepted");
    expect(after).toMatchObject(rest);
    expect(after.nextPollAt.getTime()).toBeLessThan(nextPollAt.getTime() - 500_000);
    expect((await desk.books.load(beginning.key, NEVER)).claim).toBeUndefined();
    expect(await rowsOf(before.id)).toEqual([]);
  });

  test("names a job of a submit without an answer, which is a claim and no more", async () => {
    const beginning = wish();
    const sent = await desk.sent(beginning);
    await handIn(receiver, message(sent.id));
    await read(sent.id, true, "named");
    expect(await desk.books.load(beginning.key, NEVER)).toMatchObject({
      attempt: { state: "sent" },
      claim: { jobId: "named", by: "webhook", looks: 0 },
    });
  });

  test("and is forged changes nothing", async () => {
    const beginning = wish();
    const sent = await desk.sent(beginning);
    await handIn(receiver, message(sent.id));
    await read(sent.id, false, "named");
    expect((await desk.books.load(beginning.key, NEVER)).claim).toBeUndefined();
  });

  test("names at most eight jobs of one submit", async () => {
    const sent = await desk.sent();
    for (let nth = 0; nth < 12; nth++) {
      await handIn(receiver, message(sent.id));
      await read(sent.id, true, `job-${nth}`);
    }
    const { rows } = await desk.pool.query("select from genop.claims where attempt_id = $1", [sent.id]);
    expect(rows).toHaveLength(8);
  });

  test("by a deposed leader is still unread", async () => {
    const sent = await desk.sent();
    await handIn(receiver, message(sent.id));
    const [row] = await rowsOf(sent.id);
    if (!row) throw new Error("nothing was handed in");
    const reading = { id: row.id, attemptId: row.attemptId, verdict: "heard", isHint: true, jobId: undefined };
    await noteReading(desk.pool, () => undefined, reading);
    expect(await rowsOf(sent.id)).toHaveLength(1);
  });

  test("is kept for its time, and then deleted", async () => {
    const count = async (): Promise<number> => (await desk.pool.query("select from genop.webhook_inbox")).rowCount ?? 0;
    const before = await count();
    await pruneInbox(desk.pool, () => desk.epoch, { olderThanMs: 3_600_000, atMost: 1000 }, NEVER);
    expect(await count()).toBe(before);
    await pruneInbox(desk.pool, () => desk.epoch, { olderThanMs: 0, atMost: 1000 }, NEVER);
    expect(await count()).toBe(0);
  });
});
