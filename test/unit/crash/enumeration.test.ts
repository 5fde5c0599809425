import { describe, expect, test } from "@jest/globals";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { makeBooks } from "../../../operator/postgres/books.ts";
import { makeLateBooks } from "../../../operator/postgres/late.ts";
import { makePool } from "../../../operator/postgres/pool.ts";
import { makeUnsent } from "../../../operator/reconcile/unsent.ts";
import { BEHAVIOURS } from "../../crash/behaviours.ts";
import { CASES, ENUMERATED, spread, titleOf } from "../../crash/cases.ts";
import { PORT_CALLS } from "../../crash/port-calls.ts";

test("every behaviour meets every port call, before and after, at its first and its second passage: no more, no fewer", () => {
  expect(ENUMERATED).toBe(BEHAVIOURS.length * PORT_CALLS.length * 4);
  expect(new Set(CASES.map(titleOf)).size).toBe(ENUMERATED);
});

test("every port call is surely passed in some behaviour's life, but for those that are named here", () => {
  const passed = new Set(CASES.filter(({ reach }) => reach === "surely").map(({ order }) => order.call));
  const elsewhere = [
    "books.recover", // a restored database: test/long/restored-postgres.test.ts
    "late.client.replay", // a late search never submits: test/unit/task/late.test.ts
    "late.client.submit", // the same
    "late.journal.decided", // a visit decides nothing about a task
    "unsent.note", // a fault of Postgres: test/scenarios/lost-mark.test.ts
  ];
  expect(PORT_CALLS.filter((call) => !passed.has(call)).sort()).toEqual(elsewhere);
});

test("what cannot be reached has its reason", () => {
  const reasons = CASES.flatMap(({ reach }) => (typeof reach === "string" ? [] : [reach.impossible]));
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons.filter((reason) => reason.length < 10)).toEqual([]);
});

test("the order of a seed is always the same, and of another seed another", () => {
  const order = (seed: string): readonly number[] => spread(CASES, seed).map(({ index }) => index);
  expect(order("a")).toEqual(order("a"));
  expect(order("a")).not.toEqual(order("b"));
  expect([...order("a")].sort((one, other) => one - other)).toEqual(CASES.map(({ index }) => index));
});

describe("nothing that touches the world is left out", () => {
  const never = (): undefined => undefined;
  const pool = makePool({ url: "postgres://nobody@localhost:1/none", applicationName: "test", maxConnections: 1 });

  test.each([
    { port: "books", adapter: makeBooks(pool, never) },
    { port: "late.books", adapter: makeLateBooks(pool, never) },
    { port: "unsent", adapter: makeUnsent() },
  ])("of the methods that the adapter of $port has", ({ adapter, port }) => {
    const calls = new Set<string>(PORT_CALLS);
    const methods = Object.keys(adapter);
    expect(methods.length).toBeGreaterThan(0);
    expect(methods.filter((method) => !calls.has(`${port}.${method}`))).toEqual([]);
  });

  /** What a term starts of the work over ports, and where it is killed. */
  const JOBS: Readonly<Record<string, string>> = {
    reconcile: "here: the calls without a prefix",
    visitLate: "here: the calls of late",
    endVanished: "test/scenarios/vanished.test.ts: over the same ports, of a task without an object to watch",
    makeUnsent: "no work: one of the ports",
  };

  test("of the work that the composition root starts over ports", () => {
    const folder = join(import.meta.dirname, "..", "..", "..", "operator", "wiring");
    const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    const imports = sources.flatMap((text) => [
      ...text.matchAll(/^import \{([^}]+)\} from "\.\.\/reconcile\/[^"]+"/gm),
    ]);
    const started = imports.flatMap(([, names = ""]) => names.split(",").map((name) => name.trim()));
    expect([...new Set(started)].sort()).toEqual(Object.keys(JOBS).sort());
  });
});
