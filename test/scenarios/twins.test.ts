// Two tasks of one wish side by side, in every order of what may happen to them, to a stated depth.
import { describe, expect, test } from "@jest/globals";
import type { WorldOptions } from "../fakes/world.ts";
import { EVENTS, SIGHTS, playTwins, wordsOf } from "./twins.ts";
import type { Event, Sight } from "./twins.ts";

/** Orders of this length are tried without exception. A unit more takes seventeen times as long: `npm run test:orders` goes one deeper. */
const DEPTH = Number(process.env.GENOP_ORDERS_DEPTH ?? 2);
const LIMIT_MS = DEPTH > 2 ? 7_200_000 : 300_000;

/** A hold is 0.10 and a job costs 0.06: one of two has to wait, and then can go. */
const ENOUGH_FOR_ONE = 170_000n;

const PROVIDERS: Readonly<Record<string, WorldOptions>> = {
  "that answers, and credits for one at a time": { credits: ENOUGH_FOR_ONE },
  "that loses both answers, and lists jobs by likeness": {
    submits: ["lost-after", "lost-after"],
    listsByLikeness: true,
    capabilities: { correlate: "Heuristic" },
  },
  "that loses a request and then an answer, and lists jobs by likeness": {
    submits: ["lost-before", "lost-after"],
    listsByLikeness: true,
    capabilities: { correlate: "Heuristic" },
  },
  "that loses an answer, lists jobs by our id late, and has one place": {
    submits: ["lost-after"],
    lookUpLagMs: 45_000,
    places: 1,
    capabilities: { correlate: "Exact", cancel: "Request" },
  },
  "that loses both answers, and tells by webhook and reference": {
    submits: ["lost-after", "lost-after"],
    showsRef: true,
    credits: 3n * ENOUGH_FOR_ONE,
    capabilities: { webhookAdoption: true, cancel: "Request" },
  },
};

/** Both have been submitted, or one waits for what the other has: where most can go wrong. By symmetry the first is the first. */
const BEGUN: readonly Event[] = [
  { of: 0, deed: "passes" },
  { of: 1, deed: "passes" },
];

function ordersOf(depth: number): readonly (readonly Event[])[] {
  if (depth === 0) return [[]];
  return ordersOf(depth - 1).flatMap((order) => EVENTS.map((event) => [...order, event]));
}

const seen = new Set<Sight>();
let tried = 0;

describe.each(Object.keys(PROVIDERS))("I2–I5 of two tasks with a provider %s", (name) => {
  const provider = PROVIDERS[name] ?? {};

  test.each([
    { depth: DEPTH - 1, first: [], from: "from the beginning" },
    { depth: DEPTH, first: BEGUN, from: "after both were begun" },
  ])(
    "every order of $depth events $from",
    async ({ depth, first }) => {
      for (const order of ordersOf(depth)) {
        const events = [...first, ...order];
        const sights = await playTwins({ provider, events }).catch((error: unknown) => {
          throw new Error(`${wordsOf(events)}: ${error instanceof Error ? error.message : "failed"}`);
        });
        for (const sight of sights) seen.add(sight);
        tried += 1;
      }
    },
    LIMIT_MS,
  );
});

test("sometimes each of these is met: what no order meets is proved by none", () => {
  expect(SIGHTS.filter((sight) => !seen.has(sight))).toEqual([]);
});

test("as many orders were tried as there are", () => {
  const ofEach = EVENTS.length ** (DEPTH - 1) + EVENTS.length ** DEPTH;
  console.info(`${tried} orders of two tasks, to depth ${DEPTH}`);
  expect(tried).toBe(Object.keys(PROVIDERS).length * ofEach);
});
