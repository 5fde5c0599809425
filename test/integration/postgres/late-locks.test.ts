// In which order the books of late searches take their locks, held against those who have an attempt for themselves. Each order of events
// is made: another session holds what one of them needs.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { handIn, noteReading, unread } from "../../../operator/postgres/inbox.ts";
import { ZERO } from "../../../operator/task/credits.ts";
import type { LateIn } from "../../../operator/task/late.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { dueOf, loseJob, visit } from "./late-world.ts";
import type { Lost } from "./late-world.ts";
import { blockedBackends, until } from "./watch.ts";

/** Longer than a busy machine takes to bring all of them to their lock. */
const PATIENCE_MS = 20_000;
const ASSET = { name: "output-0", uri: "s3://b/o", mediaType: "image/png", bytes: 9, sha256: "0".repeat(64) };
const SEARCH = "select from genop.late_searches where attempt_id = $1 for update nowait";

let database: TestDatabase;
let desk: Desk;
beforeAll(async () => {
  database = await openDatabase();
  desk = await openDesk(database.pool({ lockTimeoutMs: PATIENCE_MS, statementTimeoutMs: PATIENCE_MS }));
  await desk.grant("studio", 1_000_000n);
});
afterAll(() => database.close());

interface Found {
  readonly lost: Lost;
  readonly late: LateIn<"found">;
}

async function foundLate(): Promise<Found> {
  const lost = await loseJob(desk, { unknown: { lateJobs: "Keep" } });
  await visit(lost);
  const due = await dueOf(lost);
  if (due?.late.state !== "found") throw new Error("expected the late job to be found");
  return { lost, late: due.late };
}

test("a late job's outputs are listed beside somebody who has its attempt alone, and goes on to its search", async () => {
  const { late, lost } = await foundLate();
  const closing = await database.asSuperuser(async (holder) => {
    await holder.query("begin; set local lock_timeout = 0");
    await holder.query("select from genop.attempts where id = $1 for update", [lost.attempt.id]);
    const close = lost.deps.books.close(late, { verdict: "succeeded", charge: ZERO }, [ASSET]);
    await until(async () => (await blockedBackends(database)) >= 1);
    await holder.query(SEARCH, [lost.attempt.id]);
    await holder.query("commit");
    return close;
  });
  expect(closing).toEqual({ outcome: "done", booked: 0n });
});

test("whoever reads a webhook keeps nobody from writing what refers to its attempt", async () => {
  const { late, lost } = await foundLate();
  const { id } = lost.attempt;
  const receiver = database.pool({ url: database.receiverUrl });
  await handIn(receiver, { attemptId: id, digest: randomUUID(), headers: {}, body: Buffer.from("") });
  const message = (await unread(desk.pool, { atMost: 10 }, NEVER)).find(({ attemptId }) => attemptId === id);
  const reading = { id: message?.id ?? 0n, attemptId: id, verdict: "heard", isHint: true, jobId: undefined };
  const works = await database.asSuperuser(async (holder) => {
    await holder.query("begin");
    await holder.query(SEARCH, [id]);
    const read = noteReading(desk.pool, () => desk.epoch, reading);
    await until(async () => (await blockedBackends(database)) >= 1);
    await holder.query("select from genop.attempts where id = $1 for key share nowait", [id]);
    const close = lost.deps.books.close(late, { verdict: "succeeded", charge: ZERO }, [ASSET]);
    await until(async () => (await blockedBackends(database)) >= 2);
    await holder.query("commit");
    return [read, close] as const;
  });
  expect(await Promise.all(works)).toEqual([undefined, { outcome: "done", booked: 0n }]);
});
