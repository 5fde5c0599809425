import { describe, expect, test } from "@jest/globals";
import { Crash, crashing, effectsOf } from "../fakes/crash.ts";
import type { CrashPoint } from "../fakes/crash.ts";
import { makeWorld } from "../fakes/world.ts";
import type { World, WorldOptions } from "../fakes/world.ts";

interface Behaviour {
  readonly name: string;
  readonly options: WorldOptions;
  readonly phases: readonly string[];
}

const BEHAVIOURS: readonly Behaviour[] = [
  { name: "a provider that answers", options: {}, phases: ["Succeeded"] },
  { name: "an answer lost after acceptance", options: { submits: ["lost-after"] }, phases: ["Succeeded"] },
  { name: "an answer lost before acceptance", options: { submits: ["lost-before"] }, phases: ["Succeeded"] },
  {
    name: "a job that hides from look-ups for a while",
    options: { submits: ["lost-after"], lookUpLagMs: 45_000 },
    phases: ["Succeeded"],
  },
  { name: "a throttled first submit", options: { submits: ["throttled", "not-sent"] }, phases: ["Succeeded"] },
  { name: "a refused submit", options: { submits: ["refused", "refused"] }, phases: ["Failed"] },
  { name: "a job that fails", options: { end: "failed" }, phases: ["Failed"] },
  { name: "a job that completes without output", options: { end: "empty" }, phases: ["Failed"] },
  { name: "queries that fail", options: { queryErrors: 5 }, phases: ["Succeeded"] },
  {
    name: "a provider without any handle",
    options: { submits: ["lost-after"], capabilities: {} },
    phases: ["NeedsReview"],
  },
];

const POINTS: readonly CrashPoint[] = effectsOf(makeWorld()).flatMap((effect) =>
  ([1, 2] as const).flatMap((call) => (["before", "after"] as const).map((moment) => ({ effect, moment, call }))),
);
const CASES = BEHAVIOURS.flatMap((behaviour) => POINTS.map((point) => ({ ...point, ...behaviour })));

const reached = new Set<string>();

async function runWithCrash(world: World, point: CrashPoint): Promise<void> {
  const process = crashing(world, point);
  try {
    await world.run(process.deps);
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    await world.run();
  }
  if (process.died()) reached.add(point.effect);
}

describe("I1–I5: dying anywhere", () => {
  test.each(CASES)("$moment call $call of $effect with $name never buys twice, nor loses anything", async (row) => {
    const world = makeWorld(row.options);
    await runWithCrash(world, row);

    const { status } = world;
    const allowed = row.name === "a provider without any handle" ? ["NeedsReview", "Succeeded"] : row.phases;
    // Dying between the mark and the answer makes every provider one whose answer was lost.
    const doubt = status().phase === "NeedsReview" && row.options.capabilities !== undefined;
    expect(doubt ? row.phases : allowed).toContain(status().phase);
    expect(world.provider.jobs.length).toBeLessThanOrEqual(1);

    const { available, released, reserved, settled } = world.books.credits();
    expect(available + settled + (reserved - settled - released)).toBe(1_000_000n);
    if (status().phase === "NeedsReview") return;
    expect(world.books.openHolds()).toBe(0);
    expect(reserved).toBe(settled + released);
    expect(world.published.size).toBe(status().phase === "Succeeded" ? 1 : 0);
  });

  test("sometimes each call is reached: a point that no run reaches proves nothing", () => {
    const unreached = effectsOf(makeWorld()).filter((effect) => !reached.has(effect));
    expect(unreached.sort()).toEqual(UNREACHED);
  });
});

/** Effects that these behaviours do not need; scenarios of their own cover them. */
const UNREACHED = [
  "books.adopt",
  "books.endTask",
  "books.noteCancelAsked",
  "books.noteClaim",
  "books.noteFetch",
  "books.recover",
  "books.unpark",
  "client.cancel",
  "client.replay",
  "tasks.exists",
  "tasks.letGo",
  "tasks.remove",
];
