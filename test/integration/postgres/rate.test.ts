// The rate of submits over real Postgres: exact whoever asks at the same time, by the database's clock.
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import type { AttemptIn } from "../../../operator/task/attempt.ts";
import type { Admission } from "../../../operator/task/quota.ts";
import type { TestDatabase } from "./database.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";
import { newLine } from "./line.ts";
import type { Line } from "./line.ts";

const HOUR_MS = 3_600_000;

let database: TestDatabase;
let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ database, desk } = opened));

/** A moment of the database in milliseconds, with fractions. */
async function moment(what: string, from: string, id: string): Promise<number> {
  const { rows } = await desk.pool.query<{ ms: number }>(
    `select extract(epoch from ${what})::float8 * 1000 as ms from genop.${from} = $1`,
    [id],
  );
  return rows[0]?.ms ?? NaN;
}

test("a burst is admitted exactly, then one for each interval", async () => {
  const { ask, askAll, joinMany, provider } = newLine(desk);
  const attempts = await joinMany(9);
  const rate = { intervalMs: HOUR_MS, burst: 5 };
  expect(await askAll(attempts, { rate })).toBe(5);
  expect(await askAll(attempts, { rate })).toBe(0);
  await database.asSuperuser((client) =>
    client.query("update genop.rates set due_at = due_at - interval '1 hour' where provider = $1", [provider]),
  );
  expect(await askAll(attempts, { rate })).toBe(1);
  const outcomes = await Promise.all(attempts.map((attempt) => ask(attempt, { rate })));
  const queued = outcomes.filter(({ outcome }) => outcome === "queued");
  expect(queued).toEqual(queued.map(() => expect.objectContaining({ afterMs: 15_000 })));
  expect(queued).toHaveLength(3);
});

test("the due moment moves by exactly one interval a submit", async () => {
  const { askAll, joinMany, provider } = newLine(desk);
  const [first, ...rest] = await joinMany(6);
  const rate = { intervalMs: 100_000 / 3, burst: 100 };
  if (first) await askAll([first], { rate });
  const before = await moment("due_at", "rates where provider", provider);
  expect(await askAll(rest, { rate })).toBe(5);
  const after = await moment("due_at", "rates where provider", provider);
  expect(after - before).toBeCloseTo(5 * rate.intervalMs, 1);
});

test("over real time, no window holds more submits than the burst and its share of the rate", async () => {
  const line = newLine(desk);
  const attempts = await line.joinMany(30);
  const rate = { intervalMs: 20, burst: 3 };
  const times = await Promise.all(attempts.map((attempt) => sentAt(line, attempt, rate)));
  times.sort((a, b) => a - b);
  const tooMany = times.flatMap((start, from) =>
    times
      .slice(from + 1)
      .filter((end, more) => more + 2 > rate.burst + (end - start) / rate.intervalMs + 1e-3)
      .map((end) => [start, end]),
  );
  expect(tooMany).toEqual([]);
});

/** Asks as often as it is told to, and answers when it was sent. */
async function sentAt(
  { ask }: Line,
  attempt: AttemptIn<"intended">,
  rate: NonNullable<Admission["rate"]>,
): Promise<number> {
  for (;;) {
    const outcome = await ask(attempt, { rate });
    if (outcome.outcome === "sent") return moment("sent_at", "attempts where id", attempt.id);
    if (outcome.outcome === "stale") throw new Error("the attempt is gone");
    await pause(outcome.afterMs);
  }
}
