// The reading of a bill: which spans are asked for, what a failure does, and who may not go on.
import { describe, expect, test } from "@jest/globals";
import { BillContradicted } from "../../../operator/postgres/usage-import.ts";
import type { UsageBooks, UsageStanding } from "../../../operator/postgres/usage-reads.ts";
import type { UsageOutcome, UsageSpan } from "../../../operator/providers/usage-calls.ts";
import type { BilledLine } from "../../../operator/task/bill.ts";
import { usageRound } from "../../../operator/wiring/usage.ts";
import type { UsageDeps } from "../../../operator/wiring/usage.ts";

const NEVER = new AbortController().signal;
const NOW = new Date("2026-06-10T12:00:00Z");
const HOUR = 3_600_000;
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);
const STANDING: UsageStanding = {
  ...{ through: ago(HOUR), now: NOW, isDue: true, failures: 0, code: undefined, wasRead: true },
};
const LINE: BilledLine = { jobId: "job", ref: undefined, amount: 5n, billedAt: ago(1000) };

interface World {
  readonly deps: UsageDeps;
  /** Spans that were asked for, in hours before now. */
  readonly asked: (readonly [from: number, to: number])[];
  readonly noted: string[];
  readonly taken: number[];
}

function worldOf(
  answer: (span: UsageSpan) => UsageOutcome,
  changes: {
    readonly standing?: Partial<UsageStanding>;
    readonly books?: Partial<UsageBooks>;
    readonly overlap?: number;
  } = {},
): World {
  const [asked, noted, taken]: [World["asked"], string[], number[]] = [[], [], []];
  const hours = (date: Date): number => (NOW.getTime() - date.getTime()) / HOUR;
  const done = Promise.resolve({ outcome: "done" as const });
  const books: UsageBooks = {
    standing: () => Promise.resolve({ ...STANDING, ...changes.standing }),
    take: (_, lines) => {
      taken.push(lines.length);
      return Promise.resolve({ outcome: "taken", taken: lines.length });
    },
    noteRead: (_, { nextAfterMs, through }) => {
      noted.push(`read to ${hours(through)}${nextAfterMs === undefined ? "" : `, next in ${nextAfterMs}`}`);
      return done;
    },
    noteUnread: (_, { code, nextAfterMs }) => {
      noted.push(`${code}, next in ${nextAfterMs}`);
      return done;
    },
    ...changes.books,
  };
  const read = (span: UsageSpan): Promise<UsageOutcome> => {
    asked.push([hours(span.from), hours(span.to)]);
    return Promise.resolve(answer(span));
  };
  const source = { everySeconds: 600, overlapSeconds: changes.overlap ?? 7200, read };
  const deps: UsageDeps = {
    ...{ books, names: () => ["acme"], source: () => source },
    ...{ log: () => undefined, metrics: { count: () => undefined } },
  };
  return { deps, asked, noted, taken };
}

const lines = (count: number): UsageOutcome => ({ outcome: "lines", lines: Array.from({ length: count }, () => LINE) });
const unanswered = (code: string, retryAfterMs?: number): UsageOutcome => ({
  outcome: "unanswered",
  code,
  retryAfterMs,
});

describe("a bill that is due", () => {
  test("is read from its overlap on, a day at a time, up to now", async () => {
    const world = worldOf(() => lines(0), { standing: { through: ago(40 * HOUR) } });
    await usageRound(world.deps, NEVER);
    expect(world.asked).toEqual([
      [42, 18],
      [18, 0],
    ]);
    expect(world.noted).toEqual(["read to 18", "read to 0", "read to 0, next in 600000"]);
  });

  test("with more in a span than is read at once is read in halves, and no line is left out", async () => {
    const world = worldOf(({ from, to }) =>
      to.getTime() - from.getTime() > HOUR ? { outcome: "overlong" } : lines(1),
    );
    await usageRound(world.deps, NEVER);
    expect(world.asked).toEqual([
      [3, 0],
      [3, 1.5],
      [3, 2.25],
      [2.25, 1.5],
      [1.5, 0.75],
      [0.75, 0],
    ]);
    expect(world.taken).toEqual([1, 1, 1, 1]);
  });

  test("with too much within a minute is not read, and not said to be", async () => {
    const world = worldOf(() => ({ outcome: "overlong" }));
    await usageRound(world.deps, NEVER);
    expect(world.noted).toEqual(["usage-too-long, next in 60000"]);
  });

  test("is taken in transactions of a thousand lines", async () => {
    const world = worldOf(() => lines(2500), { overlap: 0 });
    await usageRound(world.deps, NEVER);
    expect(world.taken).toEqual([1000, 1000, 500]);
  });

  test.each([
    { when: "for the first time", failures: 0, answer: unanswered("reset"), then: "reset, next in 60000" },
    { when: "again", failures: 2, answer: unanswered("reset"), then: "reset, next in 240000" },
    { when: "for long", failures: 60, answer: unanswered("reset"), then: "reset, next in 600000" },
    {
      when: "and says when",
      failures: 0,
      answer: unanswered("status-429", 900_000),
      then: "status-429, next in 900000",
    },
  ])("that fails $when is asked for again later", async ({ answer, failures, then }) => {
    const world = worldOf(() => answer, { standing: { failures } });
    await usageRound(world.deps, NEVER);
    expect(world.noted).toEqual([then]);
  });

  test("that contradicts what is known is not gone past", async () => {
    const take = (): Promise<never> => Promise.reject(new BillContradicted("job"));
    const world = worldOf(() => lines(1), { books: { take } });
    await usageRound(world.deps, NEVER);
    expect(world.noted).toEqual(["bill-contradicted, next in 60000"]);
  });

  test("is left by a leader whose term is over", async () => {
    const stale = Promise.resolve({ outcome: "stale" as const });
    const world = worldOf(() => lines(1), { standing: { through: ago(100 * HOUR) }, books: { take: () => stale } });
    await usageRound(world.deps, NEVER);
    expect([world.asked.length, world.noted]).toEqual([1, []]);
    const empty = worldOf(() => lines(0), { standing: { through: ago(100 * HOUR) }, books: { noteRead: () => stale } });
    await usageRound(empty.deps, NEVER);
    expect(empty.asked).toHaveLength(1);
  });

  test("is no failure of the provider's when we stop", async () => {
    const stop = new AbortController();
    const world = worldOf(() => {
      stop.abort();
      return unanswered("aborted");
    });
    await usageRound(world.deps, stop.signal);
    expect(world.noted).toEqual([]);
  });
});

test("a bill that is not due, and one that nothing says how to read, are let alone", async () => {
  const world = worldOf(() => lines(1), { standing: { isDue: false } });
  await usageRound(world.deps, NEVER);
  await usageRound({ ...world.deps, source: () => undefined }, NEVER);
  expect(world.asked).toEqual([]);
});
