import { describe, expect, test } from "@jest/globals";
import { endVanished } from "../../operator/reconcile/vanished.ts";
import { makeVanished } from "../../operator/wiring/vanished.ts";
import { MINUTE, SECOND } from "../builders/seen.ts";
import { Crash, crashing } from "../fakes/crash.ts";
import { NEVER, makeWorld } from "../fakes/world.ts";
import type { World, WorldOptions } from "../fakes/world.ts";

interface House {
  /** One round of the leader's housekeeping, so many ms after the one before. */
  readonly round: (laterMs: number) => Promise<void>;
  readonly told: readonly string[];
}

function house(world: World): House {
  let nowMs = 0;
  const told: string[] = [];
  const round = makeVanished({
    owners: () => Promise.resolve(ownersOf(world)),
    isMissing: () => !world.exists(),
    end: (owner, signal) => endVanished(world.deps, owner, signal),
    graceMs: world.deps.policy.deletionGraceMs,
    nowMs: () => nowMs,
    log: (_level, event) => told.push(event),
    metrics: { count: (name) => told.push(name) },
  });
  return {
    told,
    round: (laterMs) => {
      nowMs += laterMs;
      return round(NEVER);
    },
  };
}

function ownersOf(world: World): readonly NonNullable<ReturnType<World["books"]["record"]>>[] {
  const record = world.books.record();
  return record && world.books.openHolds() > 0 ? [record] : [];
}

async function runTo(options: WorldOptions, passes: number): Promise<World> {
  const world = makeWorld(options);
  await world.run(undefined, passes, () => true); // each pass ends with its first mark
  return world;
}

const CASES = [
  { state: "intended", options: {}, passes: 2, reason: "NotCreated", settled: 0n },
  {
    state: "sent",
    options: { submits: ["lost-after"], capabilities: {} },
    passes: 400,
    reason: "WrittenOff",
    settled: 0n,
  },
  { state: "accepted", options: { runs: 1000 }, passes: 8, reason: "Orphaned", settled: 100_000n },
  { state: "ready", options: {}, passes: 6, reason: "Orphaned", settled: 60_000n },
] as const;

describe("an object whose finalizer was taken off by hand, and that was then deleted", () => {
  test.each(CASES)("is missed, and after the grace its $state attempt ends as $reason", async (row) => {
    const world = await runTo(row.options, row.passes);
    expect(world.books.attempts.at(-1)?.state).toBe(row.state);
    world.vanish();
    expect(await world.run()).toBe(1);
    const { round, told } = house(world);
    await round(0);
    await round(15 * MINUTE - 1);
    expect(world.books.openHolds()).toBe(1);
    expect(told).toEqual([]);

    await round(1);
    expect(world.books.openHolds()).toBe(0);
    expect(world.books.attempts.at(-1)).toMatchObject({ state: "ended", reason: row.reason });
    expect(world.books.record()?.ended).toMatchObject({ phase: "Cancelled", reason: "Deleted" });
    expect(world.books.credits()).toMatchObject({ settled: row.settled, released: 100_000n - row.settled });
    expect(told).toEqual(["tasksVanished", "task.vanished"]);
    await round(MINUTE);
    expect(told).toHaveLength(2);
  });

  const CALLS = ["tasks.exists", "books.load", "books.end"] as const;
  const POINTS = CALLS.flatMap((effect) => (["before", "after"] as const).map((moment) => ({ effect, moment })));
  test.each(POINTS)("ends once, and leaves nothing, when the process dies $moment $effect", async (point) => {
    const world = await runTo({}, 6);
    const [owner] = ownersOf(world);
    if (!owner) throw new Error("expected an owner");
    world.vanish();
    await expect(endVanished(crashing(world, { ...point, call: 1 }).deps, owner, NEVER)).rejects.toThrow(Crash);
    await endVanished(world.deps, owner, NEVER);
    expect(world.books.attempts).toMatchObject([{ state: "ended", reason: "Orphaned" }]);
    expect(world.books.credits()).toMatchObject({ settled: 60_000n, released: 40_000n });
  });

  test("is left alone when a live read finds it, however long the cache lacks it", async () => {
    const world = await runTo({ runs: 1000 }, 8);
    const { round } = house({ ...world, exists: () => false });
    await round(0);
    await round(60 * MINUTE);
    expect(world.books.openHolds()).toBe(1);
  });

  test("begins its grace anew when it was seen in between", async () => {
    const world = await runTo({ runs: 1000 }, 8);
    let isCached = false;
    const { round } = house({ ...world, exists: () => isCached });
    await round(0);
    isCached = true;
    await round(14 * MINUTE);
    isCached = false;
    world.vanish();
    await round(14 * MINUTE);
    await round(14 * MINUTE);
    expect(world.books.openHolds()).toBe(1);
    await round(MINUTE);
    expect(world.books.openHolds()).toBe(0);
  });

  test("is not ended while its submit may still be under way", async () => {
    const world = await runTo({}, 2);
    const attempt = world.books.attempts.at(-1);
    if (attempt?.state !== "intended") throw new Error("expected an intended attempt");
    await world.deps.books.markSent(attempt, world.deps.quotas.admission("", "", "") as never, 40 * SECOND, NEVER);
    world.vanish();
    const { round } = house(world);
    await round(0);
    await round(15 * MINUTE);
    expect(world.books.openHolds()).toBe(1);
  });

  test("is not ended once its record belongs to a restored object", async () => {
    const world = await runTo({ runs: 1000 }, 8);
    const [owner] = ownersOf(world);
    if (!owner) throw new Error("expected an owner");
    world.vanish();
    await world.deps.books.adopt({ ...owner, uid: "uid-2" });
    expect(await endVanished(world.deps, owner, NEVER)).toBeUndefined();
    expect(world.books.openHolds()).toBe(1);
  });

  test("keeps none of the others when one can't be ended", async () => {
    const ended: string[] = [];
    const { length } = ended;
    const owners = ["a", "b"].map((name) => ({ key: `n/${name}`, uid: name, namespace: "n", name }) as never);
    const round = makeVanished({
      owners: () => Promise.resolve(owners),
      isMissing: () => true,
      end: ({ uid }) => {
        if (uid === "a") return Promise.reject(new Error("down"));
        ended.push(uid);
        return Promise.resolve(undefined);
      },
      graceMs: 0,
      nowMs: () => length,
      log: () => undefined,
      metrics: { count: () => undefined },
    });
    await expect(round(NEVER)).rejects.toThrow("down");
    expect(ended).toEqual(["b"]);
  });
});
