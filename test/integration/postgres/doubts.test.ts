// Books over real Postgres: what is doubted of a job, and since when.
import { describe, expect, test } from "@jest/globals";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import type { Doubt, Expiry } from "../../../operator/task/mark.ts";
import { wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";

let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ desk } = opened));

describe("doubts", () => {
  test("each doubt has its own beginning: a query without an answer keeps it, another doubt ends it", async () => {
    const beginning = wish();
    const step = async (doubt: Doubt): Promise<AttemptIn<"accepted">> => {
      const before = await desk.attempt(beginning.key, "accepted");
      await desk.books.notePoll(before, { nextAfterMs: 0, progress: undefined, doubt });
      return desk.attempt(beginning.key, "accepted");
    };
    await desk.accepted(beginning);
    const { missing } = await step("missing");
    expect(missing).toMatchObject({ answers: 1 });
    expect(await step("kept")).toMatchObject({ missing, emptySince: undefined });
    expect((await step("missing")).missing).toEqual({ ...missing, answers: 2 });
    expect(await step("empty")).toMatchObject({ missing: undefined, emptySince: expect.any(Date) });
  });

  test("outputs that are gone are doubted from the first such answer on, and no longer once they are served", async () => {
    const beginning = wish();
    const step = async (expiry: Expiry): Promise<Date | undefined> => {
      const before = await desk.attempt(beginning.key, "ready");
      await desk.books.noteFetch(before, { nextAfterMs: 0, expiry });
      return (await desk.attempt(beginning.key, "ready")).expiredSince;
    };
    await desk.ready(beginning);
    expect(await step("kept")).toBeUndefined();
    const since = await step("expired");
    expect(since).toBeInstanceOf(Date);
    expect([await step("kept"), await step("expired")]).toEqual([since, since]);
    expect(await step("none")).toBeUndefined();
  });
});
