// I5 over random histories: whatever the operator does in whatever order, the books agree with a model that fits on one page.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Pool } from "pg";
import type { Ending } from "../../../operator/task/action.ts";
import type { Attempt, AttemptIn, EndReason } from "../../../operator/task/attempt.ts";
import type { ProviderJobId } from "../../../operator/task/brand.ts";
import { micro } from "../../../operator/task/credits.ts";
import type { TaskEnd } from "../../../operator/task/facts.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, UNLIMITED, openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { beginOutcome, begun, ended, isLive, newModel, over } from "./model.ts";
import type { Model, WishModel } from "./model.ts";

const WISHES = 4;
const RUNS = 30;
const LENGTH = 40;
const LIMIT_MS = 120_000;
const CANCELLED: TaskEnd = { phase: "Cancelled", reason: "CancelledByUser", message: "cancelled as asked" };
const PARKED = { reason: "JobStalled", message: "look" } as const;

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await openDatabase();
  pool = database.pool();
});
afterAll(() => database.close());

interface Step {
  readonly type: "grant" | "begin" | "submit" | "accept" | "finish" | "end" | "park" | "unpark" | "race" | "new-term";
  readonly who: number;
  readonly amount: bigint;
  readonly isLast: boolean;
}
const ORDINARY = ["grant", "begin", "begin", "submit", "accept", "finish", "end"] as const;
const RARE = ["park", "unpark", "unpark", "race", "new-term"] as const;
const step: fc.Arbitrary<Step> = fc.record({
  type: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...ORDINARY) },
    { weight: 1, arbitrary: fc.constantFrom(...RARE) },
  ),
  who: fc.integer({ min: 0, max: WISHES - 1 }),
  amount: fc.bigInt(0n, 150n),
  isLast: fc.boolean(),
});

let histories = 0;

test(
  "I5: after any history, balances, holds and credits are those of the model, and every report is empty",
  async () => {
    const seed = Number(process.env.GENOP_SEED ?? Date.now() % 2 ** 31);
    console.log(`seed ${seed}: GENOP_SEED=${seed} repeats it`);
    const history = fc.asyncProperty(fc.array(step, { maxLength: LENGTH, size: "max" }), async (steps) => {
      histories += 1;
      const model = newModel(`history-${histories}`, WISHES);
      let desk = await openDesk(pool);
      for (const one of steps) {
        if (one.type === "new-term") desk = await openDesk(pool);
        else await take(desk, model, one);
      }
      await compare(desk, model);
    });
    const plugins = [fc.interruptAfterTimeLimit((LIMIT_MS * 3) / 4)];
    await fc.assert(history, { seed, numRuns: RUNS, plugins });
  },
  LIMIT_MS,
);

/** Does one step in the books, and in the model if the books must do it. */
async function take(desk: Desk, model: Model, { amount, isLast, type, who }: Step): Promise<void> {
  const one = model.wishes[who];
  if (!one) throw new Error("no such wish");
  switch (type) {
    case "grant":
      await desk.grant(model.namespace, amount + 1n);
      model.available += amount + 1n;
      return;
    case "begin":
      return beginOne(desk, model, one);
    case "park":
    case "unpark":
      return parkOne(desk, one, type);
    case "end":
      return endOne(desk, model, one, { charge: amount, isLast });
    case "race":
      return race(desk, model, amount);
    default:
      return move(desk, one, type);
  }
}

async function beginOne(desk: Desk, model: Model, one: WishModel): Promise<void> {
  const outcome = beginOutcome(model, one);
  expect(await desk.books.begin(one.beginning, NEVER)).toMatchObject({ outcome });
  if (outcome === "begun") begun(model, one);
}

async function parkOne(desk: Desk, one: WishModel, type: "park" | "unpark"): Promise<void> {
  const isRight = type === "park" ? !one.over : one.parked;
  const answer = type === "park" ? desk.books.park(one.beginning, PARKED) : desk.books.unpark(one.beginning.key);
  expect(await answer).toMatchObject({ outcome: isRight ? "done" : "stale" });
  one.parked = type === "park" && isRight;
}

/** The next state, if the attempt is in the one before; nothing otherwise. */
async function move(desk: Desk, one: WishModel, type: Step["type"]): Promise<void> {
  const { attempt } = await desk.books.load(one.beginning.key, NEVER);
  if (type === "submit" && attempt?.state === "intended") {
    expect(await desk.books.markSent(attempt, UNLIMITED, 1000, NEVER)).toMatchObject({ outcome: "sent" });
    one.attempt = "sent";
  }
  if (type === "accept" && attempt?.state === "sent") {
    expect(await desk.books.markAccepted(attempt, attempt.id as string as ProviderJobId, 0)).toMatchObject({
      outcome: "done",
    });
    one.attempt = "accepted";
  }
  if (type === "finish" && attempt?.state === "accepted") {
    expect(await desk.books.markReady(attempt, undefined)).toMatchObject({ outcome: "done" });
    one.attempt = "ready";
  }
}

const REASONS: Readonly<Record<AttemptIn<"intended" | "sent" | "accepted" | "ready">["state"], EndReason>> = {
  intended: "NotCreated",
  sent: "WrittenOff",
  accepted: "JobFailed",
  ready: "Succeeded",
};

interface End {
  readonly charge: bigint;
  readonly isLast: boolean;
}

/** What was never sent is never charged. */
function endingOf(attempt: Attempt, { charge, isLast }: End): Ending {
  if (attempt.state === "ended") throw new Error("it has ended");
  return {
    reason: REASONS[attempt.state],
    charge: micro(attempt.state === "intended" ? 0n : charge),
    retryAfterMs: undefined,
    task: isLast ? CANCELLED : undefined,
  };
}

async function endOne(desk: Desk, model: Model, one: WishModel, end: End): Promise<void> {
  const { attempt } = await desk.books.load(one.beginning.key, NEVER);
  if (!attempt || attempt.state === "ended") {
    if (!end.isLast) return;
    expect(await desk.books.endTask(one.beginning, CANCELLED)).toMatchObject({ outcome: "done" });
    over(one);
    return;
  }
  expect(await desk.books.endTask(one.beginning, CANCELLED)).toEqual({ outcome: "stale" });
  const ending = endingOf(attempt, end);
  expect(await desk.books.end(attempt, ending, [])).toMatchObject({ outcome: "done" });
  ended(model, one, ending.charge);
  if (end.isLast) over(one);
}

/** All wishes at once: what lives ends twice, what does not begins twice. Who gets the last credits is the books' to say. */
async function race(desk: Desk, model: Model, charge: bigint): Promise<void> {
  await Promise.all(
    model.wishes.map(async (one) => {
      const { attempt } = await desk.books.load(one.beginning.key, NEVER);
      if (attempt && attempt.state !== "ended") {
        const ending = endingOf(attempt, { charge, isLast: false });
        await Promise.all([desk.books.end(attempt, ending, []), desk.books.end(attempt, ending, [])]);
        ended(model, one, ending.charge);
        return;
      }
      const outcomes = await Promise.all([
        desk.books.begin(one.beginning, NEVER),
        desk.books.begin(one.beginning, NEVER),
      ]);
      const times = outcomes.filter(({ outcome }) => outcome === "begun").length;
      expect(times).toBeLessThanOrEqual(beginOutcome({ ...model, available: 100n }, one) === "begun" ? 1 : 0);
      if (times === 1) begun(model, one);
    }),
  );
}

async function compare(desk: Desk, model: Model): Promise<void> {
  const { available, held } = await desk.reports.accountStatement(model.namespace, 1, NEVER);
  expect({ available, held }).toEqual({ available: model.available, held: model.held });
  for (const one of model.wishes) {
    const { attempt, credits, record } = await desk.books.load(one.beginning.key, NEVER);
    expect(credits).toEqual({ reserved: one.reserved, settled: one.settled, released: one.released });
    expect(attempt?.state ?? "none").toBe(one.attempt);
    expect(record?.ended !== undefined).toBe(one.over);
    expect(record?.parked !== undefined).toBe(one.parked);
    if (!isLive(one)) expect(credits.reserved).toBe(credits.settled + credits.released);
  }
  expect(await desk.problems()).toEqual([]);
}
