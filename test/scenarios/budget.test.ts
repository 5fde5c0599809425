// F2: a namespace that has spent its budget: its tasks wait visibly, and go on by themselves.
import { expect, test } from "@jest/globals";
import { micro } from "../../operator/task/credits.ts";
import { NOON } from "../builders/seen.ts";
import { makeWorld } from "../fakes/world.ts";

const PRICE = 100_000n;
const MIDNIGHT = new Date(new Date(NOON).setUTCHours(24, 0, 0, 0));
const NEXT_MONTH = new Date(Date.UTC(NOON.getUTCFullYear(), NOON.getUTCMonth() + 1));
/** Passes of a minute over more than a day. */
const A_DAY = 1500;

const limits = (perDay: bigint | undefined, perMonth?: bigint) => ({
  perDay: perDay === undefined ? undefined : micro(perDay),
  perMonth: perMonth === undefined ? undefined : micro(perMonth),
});

test("a task that does not fit into what is left of the day waits for midnight, says so, and goes on then by itself", async () => {
  const world = makeWorld({ budget: limits(PRICE + 1n), spentByOthers: 2n });
  await world.run(undefined, 20);
  expect(world.status()).toMatchObject({
    phase: "Pending",
    reason: "BudgetExhausted",
    nextActionTime: MIDNIGHT.toISOString(),
  });
  expect(world.status().conditions).toContainEqual(
    expect.objectContaining({ type: "Held", status: "False", reason: "BudgetExhausted" }),
  );
  await world.run(undefined, A_DAY);
  expect(world.status()).toMatchObject({ phase: "Succeeded" });
  expect(world.provider.jobs.map(({ createdAt }) => createdAt >= MIDNIGHT)).toEqual([true]);
});

test("a month that is spent is waited for to its end, whatever is left of the day", async () => {
  const world = makeWorld({ budget: limits(PRICE * 9n, PRICE), spentByOthers: 1n });
  await world.run(undefined, A_DAY);
  const nextActionTime = NEXT_MONTH.toISOString();
  expect(world.status()).toMatchObject({ phase: "Pending", reason: "BudgetExhausted", nextActionTime });
  expect(world.provider.submits()).toBe(0);
});

test("a limit that is raised counts at the next look", async () => {
  const world = makeWorld({ budget: limits(PRICE - 1n) });
  await world.run(undefined, 20);
  expect(world.status()).toMatchObject({ reason: "BudgetExhausted" });
  world.limit(limits(PRICE));
  await world.run();
  expect(world.status()).toMatchObject({ phase: "Succeeded" });
});

test("a task whose deadline passes while it waits for the budget ends without a submit", async () => {
  const world = makeWorld({ budget: limits(0n), wish: { activeDeadlineSeconds: 600 } });
  await world.run();
  expect(world.status()).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
  expect(world.provider.submits()).toBe(0);
});
