// Generated misfortune: never two leaders at once, and one when the misfortune is over.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { World } from "./election-world.ts";

const who = fc.nat(2);
const steps = fc.oneof(
  fc.record({ do: fc.constantFrom("cut" as const, "join again" as const, "pause" as const, "go on" as const), who }),
  fc.record({ do: fc.constant("advance" as const), ms: fc.integer({ min: 1, max: 8_000 }) }),
);
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

async function apply(world: World, step: Step): Promise<void> {
  if (step.do === "advance") {
    await advanceWatching(world, step.ms);
    return;
  }
  const process = world.candidates[step.who]?.process;
  if (step.do === "pause") process?.pause();
  else if (step.do === "go on") process?.goOn();
  else process?.cut(step.do === "cut");
}

async function advanceWatching(world: World, byMs: number): Promise<void> {
  for (let leftMs = byMs; leftMs > 0; leftMs -= 1_000) {
    await world.clock.advance(Math.min(leftMs, 1_000));
    expect(world.leaders()).toBeLessThanOrEqual(1);
  }
}

test("whoever is cut off or stands still, there are never two leaders, and at the end there is one", async () => {
  const misfortune = fc.asyncProperty(fc.array(steps, { maxLength: 30 }), async (list) => {
    const world = new World();
    for (const identity of ["a", "b", "c"]) await world.join(identity);
    for (const step of list) {
      await apply(world, step);
      expect(world.leaders()).toBeLessThanOrEqual(1);
    }
    for (const { process } of world.candidates) {
      process.cut(false);
      process.goOn();
    }
    await advanceWatching(world, 40_000);
    const isAnyLeft = world.candidates.some(({ end }) => end() === undefined);
    expect(world.leaders()).toBe(isAnyLeft ? 1 : 0);
    await world.close();
  });
  await fc.assert(misfortune, { numRuns: 100 });
}, 60_000);
