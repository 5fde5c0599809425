// Claims over real Postgres: jobs that somebody named, and attempts that are given back to the books.
import { describe, expect, test } from "@jest/globals";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import type { ProviderJobId } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import { NEVER, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";

let desk: Desk;
ownDesk({ studio: 1000n }, (opened) => ({ desk } = opened));

const PARKED = { reason: "RecordMissing", message: "m" } as const;

describe("an attempt that the books lost", () => {
  test("is given back as one without an answer, with its number and its hold, and nothing was sent", async () => {
    const lost = wish({ decidedNumber: 3 });
    await desk.books.park(lost, PARKED);
    expect(await desk.books.recover(lost, NEVER)).toMatchObject({ outcome: "begun" });
    expect(await desk.attempt(lost.key, "sent")).toMatchObject({
      number: 3,
      held: 100n,
      ambiguity: { code: "record-missing" },
    });
    expect((await desk.books.load(lost.key, NEVER)).record?.parked).toMatchObject(PARKED);
    expect(await desk.problems()).toEqual([]);
  });

  test("that is only intended in them is taken as it is, without a second hold", async () => {
    const known = wish({ decidedNumber: 1 });
    await desk.begun({ ...known, decidedNumber: 0 });
    await desk.books.park(known, PARKED);
    expect(await desk.books.recover(known, NEVER)).toMatchObject({ outcome: "begun" });
    const facts = await desk.books.load(known.key, NEVER);
    expect(facts).toMatchObject({ attempt: { state: "sent", number: 1 }, credits: { reserved: 100n } });
  });

  test("is not made for a task that waits for something else, nor beside another attempt", async () => {
    const other = wish({ decidedNumber: 1 });
    await desk.books.park(other, { reason: "SubmitUnresolved", message: "m" });
    expect(await desk.books.recover(other, NEVER)).toEqual({ outcome: "stale" });

    const busy = wish({ decidedNumber: 2 });
    await desk.sent({ ...busy, decidedNumber: 0 });
    await desk.books.park(busy, PARKED);
    expect(await desk.books.recover(busy, NEVER)).toEqual({ outcome: "stale" });
  });

  test("waits for credits, and takes none", async () => {
    const poor = wish({ namespace: "poor", decidedNumber: 1, estimate: micro(5n) });
    await desk.books.park(poor, PARKED);
    expect(await desk.books.recover(poor, NEVER)).toEqual({ outcome: "short", changed: false });
    expect((await desk.books.load(poor.key, NEVER)).attempt).toBeUndefined();
  });
});

describe("a claim", () => {
  async function claimed(...jobs: readonly string[]): Promise<AttemptIn<"sent">> {
    const sent = await desk.sent();
    for (const job of jobs)
      await desk.pool.query("insert into genop.claims (attempt_id, job_id) values ($1, $2)", [sent.id, job]);
    return sent;
  }
  const seen = async ({ id }: AttemptIn<"sent">): Promise<unknown> => {
    const { rows } = await desk.pool.query<{ task_key: string }>("select task_key from genop.attempts where id = $1", [
      id,
    ]);
    return (await desk.books.load((rows[0]?.task_key ?? "") as never, NEVER)).claim;
  };

  test("is shown until it is refused, and then the next one is", async () => {
    const sent = await claimed("first", "second");
    const first = { jobId: "first" as ProviderJobId, nextAfterMs: 0 };
    expect(await seen(sent)).toEqual({ jobId: "first", by: "webhook", looks: 0 });
    await desk.books.noteClaim(sent, { ...first, refused: false });
    expect(await seen(sent)).toMatchObject({ jobId: "first", looks: 1 });
    await desk.books.noteClaim(sent, { ...first, refused: true });
    expect(await seen(sent)).toMatchObject({ jobId: "second", looks: 0 });
  });

  test("says nothing any more once a job is known", async () => {
    const sent = await claimed("third");
    await desk.books.markAccepted(sent, "other" as ProviderJobId, 0);
    expect(await seen(sent)).toBeUndefined();
  });

  test("to a job of another attempt is told apart from a lost race", async () => {
    await desk.accepted(wish(), "taken-by-another");
    expect(await desk.books.markAccepted(await claimed(), "taken-by-another" as ProviderJobId, 0)).toEqual({
      outcome: "taken",
    });
  });
});
