// F2: budgets over real Postgres against a model of them.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Beginning } from "../../../operator/reconcile/ports.ts";
import { NO_BUDGET } from "../../../operator/task/budget.ts";
import { micro } from "../../../operator/task/credits.ts";
import { openDatabase } from "./database.ts";
import type { TestDatabase } from "./database.ts";
import { NEVER, NOT_CREATED, UNLIMITED, openDesk, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { age, newTenant, perDay, spentBy } from "./tenant.ts";

const seed = Number(process.env.GENOP_SEED ?? Date.now() % 2 ** 31);

let database: TestDatabase;
let desk: Desk;
beforeAll(async () => {
  database = await openDatabase();
  desk = await openDesk(database.pool());
  console.log(`seed ${seed}: GENOP_SEED=${seed} repeats its choices`);
});
afterAll(() => database.close());

type Step =
  | { readonly type: "begin"; readonly estimate: number; readonly limit: number | undefined }
  | { readonly type: "end"; readonly which: number; readonly charge: number }
  | { readonly type: "tomorrow" };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("begin" as const),
      estimate: fc.integer({ min: 0, max: 60 }),
      limit: fc.option(fc.integer({ min: 0, max: 150 }), { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("end" as const), which: fc.nat(9), charge: fc.nat(80) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("tomorrow" as const) }) },
);

interface Open {
  readonly beginning: Beginning;
  daysAgo: number;
}

/** The same on a sheet of paper: what was spent, by how many days ago. */
interface Sheet {
  readonly namespace: string;
  readonly spent: bigint[];
  readonly open: Open[];
}

function write({ spent: days }: Sheet, daysAgo: number, amount: bigint): void {
  days[daysAgo] = (days[daysAgo] ?? 0n) + amount;
}

async function beginOn(sheet: Sheet, { estimate, limit }: Extract<Step, { type: "begin" }>): Promise<void> {
  const { namespace, open } = sheet;
  const budget = limit === undefined ? NO_BUDGET : perDay(BigInt(limit));
  const beginning = wish({ namespace, estimate: micro(BigInt(estimate)), budget });
  const isOver = limit !== undefined && estimate > 0 && (sheet.spent[0] ?? 0n) + BigInt(estimate) > BigInt(limit);
  expect((await desk.books.begin(beginning, NEVER)).outcome).toBe(isOver ? "over-budget" : "begun");
  if (isOver) return;
  write(sheet, 0, beginning.estimate);
  open.push({ beginning, daysAgo: 0 });
}

async function endOn(sheet: Sheet, { charge, which }: Extract<Step, { type: "end" }>): Promise<void> {
  const [one] = sheet.open.splice(which % Math.max(sheet.open.length, 1), 1);
  if (!one) return;
  const { beginning, daysAgo } = one;
  const attempt = await desk.attempt(beginning.key, "intended");
  const marked = await desk.books.markSent(attempt, UNLIMITED, 30_000, NEVER);
  if (marked.outcome !== "sent") throw new Error(`expected sent, got ${marked.outcome}`);
  await desk.books.end(marked.attempt, { ...NOT_CREATED, reason: "WrittenOff", charge: micro(BigInt(charge)) }, []);
  write(sheet, daysAgo, charge < beginning.estimate ? BigInt(charge) - beginning.estimate : 0n);
}

async function follow(steps: readonly Step[]): Promise<void> {
  const sheet: Sheet = { namespace: await newTenant(desk), spent: [0n], open: [] };
  for (const step of steps) {
    if (step.type === "begin") await beginOn(sheet, step);
    if (step.type === "end") await endOn(sheet, step);
    if (step.type === "tomorrow") {
      await age(database, sheet.namespace, "1 day");
      sheet.spent.unshift(0n);
      for (const one of sheet.open) one.daysAgo += 1;
    }
    expect((await spentBy(desk, sheet.namespace))[0]).toBe(sheet.spent[0]);
  }
}

describe("F2 against a model", () => {
  test("F2: any order of holds, ends and midnights is answered as one clerk with a sheet of paper would", async () => {
    await fc.assert(fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 25 }), follow), { seed, numRuns: 8 });
    expect(await desk.problems()).toEqual([]);
  });
});
