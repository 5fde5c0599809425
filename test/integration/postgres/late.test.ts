// Late searches over real Postgres: whose job is still looked for, that a job that turns up is written down and booked once, and that
// nothing of what had ended changes for it.
import { describe, expect, test } from "@jest/globals";
import { makeLateBooks } from "../../../operator/postgres/late.ts";
import { visitLate } from "../../../operator/reconcile/late.ts";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import type { AttemptId, ProviderJobId } from "../../../operator/task/brand.ts";
import { ZERO } from "../../../operator/task/credits.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, NOT_CREATED, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";
import { COST, GIVEN_UP, dueOf, loseJob, moneyOf, owed, rowOf, visit, visitToEnd } from "./late-world.ts";

let database: TestDatabase;
let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ database, desk } = opened));

async function isSought(id: AttemptId): Promise<boolean> {
  const { rowCount } = await desk.pool.query("select from genop.late_searches where attempt_id = $1", [id]);
  return rowCount === 1;
}

describe("an attempt is looked for after its end", () => {
  const unclear = async (): Promise<AttemptIn<"sent">> => {
    const sent = await desk.sent();
    await desk.books.markAmbiguous(sent, "reset", 0);
    return sent;
  };
  const looked = async (): Promise<AttemptIn<"sent">> => {
    const sent = await desk.sent();
    await desk.books.noteLook(sent, { missed: true, nextAfterMs: 0 });
    return sent;
  };
  const overdue = async (): Promise<AttemptIn<"sent">> => {
    const sent = await desk.sent();
    await desk.pool.query("update genop.attempts set deadline = now() - interval '1 second' where id = $1", [sent.id]);
    return sent;
  };
  const NEVER_CREATED = NOT_CREATED;
  const REFUSED = { ...NOT_CREATED, reason: "Refused" } as const;
  test.each([
    { when: "it was given up, whoever did", make: () => desk.sent(), end: GIVEN_UP, sought: true },
    { when: "its absence was believed after an unclear answer", make: unclear, end: NEVER_CREATED, sought: true },
    { when: "its absence was believed after a look", make: looked, end: NEVER_CREATED, sought: true },
    { when: "a person said that it was never made", make: overdue, end: NEVER_CREATED, sought: true },
    { when: "not if the answer to its submit was a refusal", make: () => desk.sent(), end: REFUSED, sought: false },
    { when: "not if its answer said try later", make: () => desk.sent(), end: NEVER_CREATED, sought: false },
    { when: "not if nothing was sent", make: () => desk.begun(), end: NEVER_CREATED, sought: false },
    {
      when: "not if its job is known",
      make: () => desk.accepted(),
      end: { ...GIVEN_UP, reason: "JobLost" as const },
      sought: false,
    },
  ])("$when", async ({ end, make, sought }) => {
    const attempt = await make();
    await desk.books.end(attempt, end, []);
    expect(await isSought(attempt.id)).toBe(sought);
  });
});

describe("a job that turns up after its attempt was given up", () => {
  test("is written down and booked as the platform's, once; attempt, task and tenant stay as they ended", async () => {
    const lost = await loseJob(desk);
    const [money, facts] = [await moneyOf(lost, "studio"), await desk.books.load(lost.key, NEVER)];
    expect(await visit(lost)).toMatchObject({ news: "found" });
    const known = { attempt: 1, jobId: "job-1", kept: 0 };
    expect((await desk.books.load(lost.key, NEVER)).late).toEqual({ ...known, verdict: undefined });
    expect(await visitToEnd(lost)).toEqual(["succeeded"]);
    expect(await rowOf(lost)).toEqual({
      state: "over",
      job_id: "job-1",
      found_by: "look-up",
      verdict: "succeeded",
      charge: COST,
    });
    expect(await owed(lost)).toBe(COST);
    expect(await moneyOf(lost, "studio")).toEqual(money);
    const after = await desk.books.load(lost.key, NEVER);
    expect(after).toEqual({ ...facts, now: after.now, late: { ...known, verdict: "succeeded" } });
    expect(await desk.problems()).toEqual([]);
  });

  test.each([
    {
      when: "it runs and can be cancelled",
      script: { runs: 9 },
      cancel: "Request",
      verdict: "cancelled",
      charge: 0n,
      cancels: true,
    },
    {
      when: "it runs and can't be",
      script: { runs: 9 },
      cancel: "None",
      verdict: "succeeded",
      charge: COST,
      cancels: false,
    },
    {
      when: "it failed",
      script: { end: "failed" as const },
      cancel: "None",
      verdict: "failed",
      charge: 0n,
      cancels: false,
    },
  ])("is brought to its end when $when: $verdict", async ({ cancel, cancels, charge, script, verdict }) => {
    const lost = await loseJob(desk, { script, capabilities: { lookupByClientID: true, cancel } });
    expect(await visitToEnd(lost)).toEqual(["found", verdict]);
    expect([await owed(lost), lost.fake.jobs[0]?.cancelled]).toEqual([charge, cancels]);
  });

  test.each([
    { when: "its object is there", uid: "uid-1", kept: 1 },
    { when: "its object is another one by now", uid: "uid-2", kept: 0 },
  ])("runs on and has its outputs kept as the provider's spec says, when $when: $kept", async ({ kept, uid }) => {
    const capabilities = { lookupByClientID: true, cancel: "Request" };
    const options = { script: { runs: 2 }, capabilities, unknown: { lateJobs: "Keep" }, wish: { uid } };
    const lost = await loseJob(desk, options);
    expect(await visitToEnd(lost)).toEqual(["found", "succeeded"]);
    expect([await owed(lost), lost.fake.jobs[0]?.cancelled]).toEqual([COST, false]);
    const { assets, late } = await desk.books.load(lost.key, NEVER);
    expect([late?.kept, assets.length]).toEqual([kept, kept]);
  });

  test("is never replaced: no visit submits anything, whatever the provider could do", async () => {
    const lost = await loseJob(desk, { capabilities: { lookupByClientID: true, idempotency: "Replay" } });
    await visitToEnd(lost);
    expect(lost.fake.submits()).toBe(1);
  });

  test("is not one that stands for another attempt, and stands for no other one itself", async () => {
    const lost = await loseJob(desk);
    const other = await desk.accepted(wish({ provider: lost.provider }), "job-1");
    expect(await visit(lost)).toBe("nothing new");
    expect(await rowOf(lost)).toMatchObject({ state: "searching" });

    const second = await loseJob(desk);
    await visit(second);
    const live = await desk.sent(wish({ provider: second.provider }));
    expect(await desk.books.markAccepted(live, "job-1" as ProviderJobId, 0)).toEqual({ outcome: "taken" });
    await desk.books.end(other, { ...GIVEN_UP, reason: "JobFailed" }, []);
  });
});

test("a search that finds nothing ends after its time, and books nothing", async () => {
  const lost = await loseJob(desk, { script: { submits: ["lost-before"] } });
  expect(await visit(lost)).toBe("nothing new");
  await database.asSuperuser(async (client) => {
    await client.query("set session_replication_role = replica");
    await client.query("update genop.late_searches set begun_at = now() - interval '8 days' where attempt_id = $1", [
      lost.attempt.id,
    ]);
  });
  expect(await visitToEnd(lost)).toEqual(["none"]);
  expect([await rowOf(lost), await owed(lost)]).toMatchObject([{ verdict: "none", charge: 0n }, 0n]);
});

describe("a deposed leader", () => {
  test("I8: changes nothing of a late search, and books nothing", async () => {
    const lost = await loseJob(desk);
    const deposed = {
      ...lost,
      deps: { ...lost.deps, books: makeLateBooks(desk.pool, () => (desk.epoch - 1n) as Desk["epoch"]) },
    };
    expect(await visit(deposed)).toBe("nothing new");
    await visit(lost);
    const due = await dueOf(lost);
    if (!due) throw new Error("expected the job to be watched");
    const { books } = deposed.deps;
    const { late } = due;
    if (late.state !== "found") throw new Error("expected the job to be found");
    const outcomes = [
      await books.noteVisit(late, 0),
      await books.noteWatch(late, { isCancelAsked: true, missing: 1, nextAfterMs: 0 }),
      await books.close(late, { verdict: "succeeded", charge: ZERO }, []),
    ];
    expect(outcomes).toEqual([{ outcome: "stale" }, { outcome: "stale" }, { outcome: "stale" }]);
    expect([await owed(lost), await rowOf(lost)]).toMatchObject([0n, { state: "found" }]);
  });

  test("and a second leader's visit of the same moment count once", async () => {
    const lost = await loseJob(desk);
    await visit(lost);
    await visit(lost);
    const due = await dueOf(lost);
    if (!due) throw new Error("expected the job to be watched");
    const news = await Promise.all([1, 2, 3, 4].map(() => visitLate(lost.deps, due, NEVER)));
    expect(news.filter((one) => one !== undefined)).toMatchObject([{ news: "over", booked: COST }]);
    expect([await owed(lost), await desk.problems()]).toEqual([COST, []]);
  });
});
