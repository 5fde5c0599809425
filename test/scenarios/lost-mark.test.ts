import { describe, expect, test } from "@jest/globals";
import type { Deps } from "../../operator/reconcile/ports.ts";
import { makeUnsent } from "../../operator/reconcile/unsent.ts";
import type { AttemptId } from "../../operator/task/brand.ts";
import { makeWorld } from "../fakes/world.ts";
import type { World } from "../fakes/world.ts";

const NO_HANDLE = { capabilities: {} };

/** Books that answer the first mark before the wire with a fault, after it was committed or before. */
function losing(world: World, when: "before the commit" | "after the commit"): Deps {
  let lost = false;
  const { books } = world.deps;
  const markSent: Deps["books"]["markSent"] = async (attempt, ...rest) => {
    if (lost) return books.markSent(attempt, ...rest);
    lost = true;
    if (when === "after the commit") await books.markSent(attempt, ...rest);
    throw new Error("the answer to COMMIT was lost");
  };
  return { ...world.deps, books: { ...books, markSent } };
}

describe("the answer to the mark before the wire is lost, at a provider without any handle", () => {
  test.each([
    { when: "after the commit", attempts: 2, submits: ["answered"] },
    { when: "before the commit", attempts: 1, submits: ["answered"] },
  ] as const)("$when: this process knows that nothing left, and asks nobody", async ({ attempts, submits, when }) => {
    const world = makeWorld({ ...NO_HANDLE, submits });
    const deps = losing(world, when);
    await expect(world.run(deps)).rejects.toThrow("COMMIT");
    expect(world.provider.submits()).toBe(0);
    await world.run(deps);
    expect(world.status()).toMatchObject({ phase: "Succeeded", attempt: attempts });
    expect(world.provider.jobs).toHaveLength(1);
    expect(world.books.openHolds()).toBe(0);
  });

  test("a submit that did leave afterwards is never taken for one that did not", async () => {
    const world = makeWorld({ ...NO_HANDLE, submits: ["lost-after"] });
    const deps = losing(world, "before the commit");
    await expect(world.run(deps)).rejects.toThrow("COMMIT");
    await world.run(deps);
    expect(world.status()).toMatchObject({ phase: "NeedsReview", reason: "SubmitUnresolved", attempt: 1 });
    expect(world.provider.jobs).toHaveLength(1);
  });

  test("another process knows nothing of it: a person is asked", async () => {
    const world = makeWorld(NO_HANDLE);
    await expect(world.run(losing(world, "after the commit"))).rejects.toThrow("COMMIT");
    await world.run({ ...world.deps, unsent: makeUnsent() });
    expect(world.status()).toMatchObject({ phase: "NeedsReview", reason: "SubmitUnresolved" });
    expect(world.provider.submits()).toBe(0);
  });
});

test("what is noted is bounded, and the oldest are forgotten first", () => {
  const unsent = makeUnsent();
  const id = (n: number): AttemptId => String(n) as AttemptId;
  for (let n = 0; n <= 10_000; n += 1) unsent.note(id(n));
  expect([unsent.has(id(0)), unsent.has(id(1)), unsent.has(id(10_000))]).toEqual([false, true, true]);
});
