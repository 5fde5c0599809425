// Books over real Postgres: the life of an attempt, and what a mark does to a row that is not in its state.
import { describe, expect, test } from "@jest/globals";
import type { ProviderJobId, TaskKey } from "../../../operator/task/brand.ts";
import { ZERO, micro } from "../../../operator/task/credits.ts";
import type { TaskEnd } from "../../../operator/task/facts.ts";
import type { AssetStatus } from "../../../operator/task/resource.ts";
import { NEVER, NOT_CREATED, UNLIMITED, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";

const SUCCEEDED: TaskEnd = { phase: "Succeeded", reason: "AssetsPublished", message: "1 asset published" };
const ASSETS: readonly AssetStatus[] = [
  { name: "b", uri: "s3://genop/b", mediaType: "image/png", bytes: 5_000_000_000, sha256: "a".repeat(64), width: 8 },
  { name: "a", uri: "s3://genop/a", mediaType: "video/mp4", bytes: 0, sha256: "b".repeat(64), durationMs: 12_000 },
];

let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ desk } = opened));

describe("load", () => {
  test("knows nothing of a task that was never registered, and still tells the time", async () => {
    const facts = await desk.books.load("studio/nobody" as TaskKey, NEVER);
    const credits = { reserved: 0n, settled: 0n, released: 0n };
    expect(facts).toEqual({ now: expect.any(Date), paidAttempts: 0, freeAttempts: 0, credits, assets: [] });
  });

  test("tells a finished task whole: record, attempt, credits and assets in their order", async () => {
    const beginning = wish();
    const ready = await desk.ready(beginning);
    const ending = { reason: "Succeeded", charge: micro(60n), retryAfterMs: undefined, task: SUCCEEDED } as const;
    await desk.books.end(ready, ending, ASSETS);
    const facts = await desk.books.load(beginning.key, NEVER);
    expect(facts).toMatchObject({
      record: { uid: beginning.uid, name: beginning.name, specHash: "hash", ended: SUCCEEDED },
      attempt: { state: "ended", number: 1, reason: "Succeeded", jobId: ready.jobId },
      paidAttempts: 1,
      freeAttempts: 0,
      credits: { reserved: 100n, settled: 60n, released: 40n },
    });
    expect(facts.assets).toEqual(ASSETS);
  });

  test("counts attempts that proved not created apart from paid ones", async () => {
    const beginning = wish();
    await desk.books.end(await desk.sent(beginning), { ...NOT_CREATED, retryAfterMs: 60_000 }, []);
    await desk.books.end(await desk.sent(beginning), { ...NOT_CREATED, reason: "WrittenOff" }, []);
    await desk.begun(beginning);
    expect(await desk.books.load(beginning.key, NEVER)).toMatchObject({
      attempt: { number: 3, state: "intended" },
      paidAttempts: 2,
      freeAttempts: 1,
      credits: { reserved: 300n, settled: 0n, released: 200n },
    });
  });

  test("gives up when its signal is aborted, with the signal's reason", async () => {
    const stop = new AbortController();
    const loading = desk.books.load("studio/x" as TaskKey, stop.signal);
    stop.abort(new Error("enough"));
    await expect(loading).rejects.toThrow("enough");
    await expect(desk.books.load("studio/x" as TaskKey, stop.signal)).rejects.toThrow("enough");
  });
});

describe("begin", () => {
  test("records that credits are short, once, and begins when they come", async () => {
    const poor = wish({ namespace: "poor" });
    expect(await desk.books.begin(poor, NEVER)).toMatchObject({ outcome: "short", changed: true });
    expect(await desk.books.begin(poor, NEVER)).toEqual({ outcome: "short", changed: false });
    expect((await desk.books.load(poor.key, NEVER)).record?.waiting).toEqual({ reason: "InsufficientCredits" });
    await desk.grant("poor", 100n);
    expect(await desk.books.begin(poor, NEVER)).toMatchObject({ outcome: "begun" });
    const { attempt, record } = await desk.books.load(poor.key, NEVER);
    expect(record?.waiting).toBeUndefined();
    expect(attempt).toMatchObject({ state: "intended", held: 100n });
  });

  test("needs neither credits nor an account for a model that costs nothing", async () => {
    const free = wish({ namespace: "free", estimate: ZERO });
    await desk.books.end(await desk.accepted(free), { ...NOT_CREATED, reason: "JobFailed", task: undefined }, []);
    expect(await desk.problems()).toEqual([]);
  });

  test.each([
    { when: "the record belongs to another object", changes: { uid: "another" } },
    { when: "the record is of another wish", changes: { specHash: "another" } },
    { when: "an attempt lives", changes: {} },
  ])("is stale when $when", async ({ changes }) => {
    const beginning = wish();
    await desk.begun(beginning);
    expect(await desk.books.begin({ ...beginning, ...changes }, NEVER)).toEqual({ outcome: "stale" });
  });

  test("is stale while the task is parked", async () => {
    const beginning = wish();
    await desk.books.park(beginning, { reason: "RecordMissing", message: "look" });
    expect(await desk.books.begin(beginning, NEVER)).toEqual({ outcome: "stale" });
  });
});

describe("marks", () => {
  test("markSent says when the call is over at the latest, by the database's clock", async () => {
    const sent = await desk.sent();
    expect(sent.deadline.getTime() - sent.sentAt.getTime()).toBeGreaterThanOrEqual(29_999);
    expect(sent).toMatchObject({ state: "sent", ambiguity: undefined, search: { misses: 0, looks: 0 } });
  });

  test("the first ambiguity stands, and looks are counted once each", async () => {
    const beginning = wish();
    const sent = await desk.sent(beginning);
    await desk.books.markAmbiguous(sent, "reset", 1000);
    await desk.books.markAmbiguous(sent, "status-502", 1000);
    expect(await desk.books.noteLook(sent, { missed: true, nextAfterMs: 5 })).toMatchObject({ outcome: "done" });
    expect(await desk.books.noteLook(sent, { missed: true, nextAfterMs: 5 })).toEqual({ outcome: "stale" });
    const after = await desk.attempt(beginning.key, "sent");
    await desk.books.noteLook(after, { missed: false, nextAfterMs: 5 });
    expect(await desk.attempt(beginning.key, "sent")).toMatchObject({
      ambiguity: { code: "reset" },
      search: { misses: 1, looks: 2 },
    });
  });

  test("polls keep progress and the begin of a doubt, and are counted once each", async () => {
    const beginning = wish();
    const first = await desk.accepted(beginning);
    await desk.books.notePoll(first, { nextAfterMs: 5, progress: 40, doubt: "empty" });
    expect(await desk.books.notePoll(first, { nextAfterMs: 5, progress: 41, doubt: "empty" })).toEqual({
      outcome: "stale",
    });
    const second = await desk.attempt(beginning.key, "accepted");
    await desk.books.notePoll(second, { nextAfterMs: 5, progress: undefined, doubt: "empty" });
    const third = await desk.attempt(beginning.key, "accepted");
    expect(third).toMatchObject({ polls: 2, progress: 40, emptySince: second.emptySince });
    await desk.books.notePoll(third, { nextAfterMs: 5, progress: 50, doubt: "none" });
    expect(await desk.attempt(beginning.key, "accepted")).toMatchObject({
      polls: 3,
      progress: 50,
      emptySince: undefined,
    });
  });

  test("a wish to cancel keeps its first moment, and fetches are counted once each", async () => {
    const beginning = wish();
    const accepted = await desk.accepted(beginning);
    await desk.books.noteCancelAsked(accepted);
    const { cancelAskedAt } = await desk.attempt(beginning.key, "accepted");
    await desk.books.noteCancelAsked(accepted);
    await desk.books.markReady(accepted, micro(7n));
    const ready = await desk.attempt(beginning.key, "ready");
    expect(ready).toMatchObject({ cost: 7n, fetches: 0, cancelAskedAt });
    expect(await desk.books.noteFetch(ready, { nextAfterMs: 10, expiry: "expired" })).toMatchObject({
      outcome: "done",
    });
    expect(await desk.books.noteFetch(ready, { nextAfterMs: 10, expiry: "expired" })).toEqual({ outcome: "stale" });
  });

  test("a job that already stands for another attempt is no clear answer", async () => {
    await desk.accepted(wish(), "taken");
    const beginning = wish();
    const sent = await desk.sent(beginning);
    expect(await desk.books.markAccepted(sent, "taken" as ProviderJobId, 5)).toEqual({ outcome: "taken" });
    const unclear = await desk.attempt(beginning.key, "sent");
    expect(unclear).toMatchObject({ ambiguity: { code: "job-id-taken" }, search: { looks: 1, misses: 0 } });
  });

  test("a look that finds the same taken job again waits ever longer", async () => {
    await desk.accepted(wish(), "held-by-another");
    const beginning = wish();
    await desk.sent(beginning);
    const waits: number[] = [];
    for (let look = 0; look < 8; look += 1) {
      const sent = await desk.attempt(beginning.key, "sent");
      await desk.books.markAccepted(sent, "held-by-another" as ProviderJobId, 5);
      const { now } = await desk.books.load(beginning.key, NEVER);
      const { search } = await desk.attempt(beginning.key, "sent");
      waits.push(((search.nextAt?.getTime() ?? 0) - now.getTime()) / 1000);
    }
    const [first = 0, ...others] = waits;
    expect(first).toBeLessThan(1.1);
    expect(others.at(-1)).toBeGreaterThan(50);
  });

  test("every mark of an attempt that has moved on is stale and changes nothing", async () => {
    const beginning = wish();
    const intended = await desk.begun(beginning);
    const outcome = await desk.books.markSent(intended, UNLIMITED, 1000, NEVER);
    if (outcome.outcome !== "sent") throw new Error("not sent");
    await desk.books.markAccepted(outcome.attempt, `moved-${beginning.key}` as ProviderJobId, 0);
    const accepted = await desk.attempt(beginning.key, "accepted");
    await desk.books.markReady(accepted, undefined);
    const before = await desk.books.load(beginning.key, NEVER);
    const { books } = desk;
    const poll = { nextAfterMs: 1, progress: 1, doubt: "empty" } as const;
    const answers = [
      await books.markSent(intended, UNLIMITED, 1000, NEVER),
      await books.markAccepted(outcome.attempt, "other" as ProviderJobId, 0),
      await books.markAmbiguous(outcome.attempt, "reset", 0),
      await books.noteLook(outcome.attempt, { missed: true, nextAfterMs: 0 }),
      await books.notePoll(accepted, poll),
      await books.noteCancelAsked(accepted),
      await books.markReady(accepted, undefined),
      await books.end(outcome.attempt, NOT_CREATED, []),
    ];
    expect(answers).toEqual(answers.map(() => ({ outcome: "stale" })));
    expect({ ...(await books.load(beginning.key, NEVER)), now: before.now }).toEqual(before);
  });
});
