// Every order of what may happen to one task, to a stated depth, and longer ones at random: nothing is paid twice, lost or undone.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { WorldOptions } from "../fakes/world.ts";
import { EVENT_NAMES, SIGHTS, play } from "./orders.ts";
import type { EventName, Sight } from "./orders.ts";

/** Orders of this length are tried without exception. */
const DEPTH = 3;
const RUNS = 150;
const LENGTH = 14;

const PROVIDERS: Readonly<Record<string, WorldOptions>> = {
  "that answers": { runs: 4, capabilities: { lookupByClientID: true, cancel: "Request" } },
  "that loses the answer, and looks up": {
    submits: ["lost-after"],
    lookUpLagMs: 45_000,
    capabilities: { lookupByClientID: true, cancel: "Request" },
  },
  "that loses the request, and looks up": {
    submits: ["lost-before"],
    capabilities: { lookupByClientID: true, cancel: "Request" },
  },
  "that loses the answer, and tells by webhook": {
    submits: ["lost-after"],
    capabilities: { webhookAdoption: true, cancel: "Request" },
  },
  "that loses the answer, and rejects a used key": {
    submits: ["lost-after"],
    rejectsReuse: true,
    capabilities: { idempotency: "RejectOnReuse", webhookAdoption: true },
  },
  "that gives nothing to hold on to": { submits: ["lost-after"], capabilities: {} },
};

/** The first events are fixed where they must be, so that what follows meets a submit. */
const SUBMITTED: readonly EventName[] = ["passes"];

function ordersOf(depth: number): readonly (readonly EventName[])[] {
  if (depth === 0) return [[]];
  return ordersOf(depth - 1).flatMap((order) => EVENT_NAMES.map((event) => [...order, event]));
}

const seen = new Map<Sight, number>();
const noteAll = (sights: ReadonlySet<Sight>): void =>
  sights.forEach((sight) => seen.set(sight, (seen.get(sight) ?? 0) + 1));

describe.each(Object.keys(PROVIDERS))("I1–I5 with a provider %s", (name) => {
  const provider = PROVIDERS[name] ?? {};

  test(`every order of ${DEPTH} events`, async () => {
    for (const order of ordersOf(DEPTH)) {
      const events = [...SUBMITTED, ...order];
      const sights = await play({ provider, events }).catch((error: unknown) => {
        throw new Error(`${events.join(", ")}: ${error instanceof Error ? error.message : "failed"}`);
      });
      noteAll(sights);
    }
  }, 300_000);

  test("longer ones, at random", async () => {
    const order = fc.array(fc.constantFrom(...EVENT_NAMES), { maxLength: LENGTH });
    await fc.assert(
      fc.asyncProperty(order, async (events) => noteAll(await play({ provider, events }))),
      { numRuns: RUNS, ...(process.env.GENOP_SEED !== undefined && { seed: Number(process.env.GENOP_SEED) }) },
    );
  }, 300_000);
});

test("sometimes each of these is met: what no order meets is proved by none", () => {
  expect(SIGHTS.filter((sight) => !seen.has(sight))).toEqual([]);
});
