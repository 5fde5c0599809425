// Who runs, how many, and how a controller ends. On a clock that moves only when told.
import { describe, expect, test } from "@jest/globals";
import { makeController } from "../../../operator/runtime/controller.ts";
import type { Next } from "../../../operator/runtime/pass.ts";
import { settle } from "./manual-clock.ts";
import { rest, run, type Work } from "./running.ts";

test("no more passes run at once than allowed, and never two for a key", async () => {
  const open = new Map<string, () => void>();
  const work: Work = (key) => new Promise((resolve) => open.set(key, () => resolve("rest")));
  const { controller, passes } = await run(work, { settings: { workers: 2 } });
  for (const key of ["a", "b", "c", "a"]) controller.enqueue(key);
  await settle();
  expect(passes).toEqual(["a@0", "b@0"]);
  controller.enqueue("a"); // while it runs: once more, later
  open.get("a")?.();
  await settle();
  expect(passes).toEqual(["a@0", "b@0", "c@0"]);
  open.get("c")?.();
  await settle();
  expect(passes).toEqual(["a@0", "b@0", "c@0", "a@0"]);
});

const stubborn: Work = () => new Promise(() => undefined);
const obedient: Work = (_, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

describe("a pass that takes too long", () => {
  test("is told to end, counted and repeated", async () => {
    const running = await run(obedient, { settings: { passTimeoutMs: 1_000 } });
    running.controller.enqueue("a");
    await running.clock.advance(1_250);
    expect(running.passes).toEqual(["a@0", "a@1250"]);
    expect(running.failed).toEqual(["error", "timeout"]);
  });

  test("and ignores that keeps its key to itself, and is visible", async () => {
    const { controller, clock, passes } = await run(stubborn, { settings: { passTimeoutMs: 1_000 } });
    controller.enqueue("a");
    await clock.advance(5_000);
    controller.enqueue("a");
    await clock.advance(5_000);
    expect(passes).toEqual(["a@0"]);
    expect(controller.longestPassMs()).toBe(10_000);
  });
});

test("of very many keys only so many wait in line, and a lot a second joins them however slow the passes are", async () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}`);
  const { controller, clock } = await run(stubborn, { keys: () => keys });
  expect(controller.depth()).toBeGreaterThan(4_000);
  expect(controller.depth()).toBeLessThan(7_000);
  const before = controller.depth();
  await clock.advance(1_000);
  expect(controller.depth()).toBe(before + 1_000);
  await clock.advance(30_000);
  expect(controller.depth()).toBe(keys.length - 1); // one is in work
});

describe("a controller that is stopped", () => {
  test("begins nothing new and waits for what runs", async () => {
    let finish = (): void => undefined;
    const work: Work = () => new Promise((resolve) => (finish = () => resolve({ afterMs: 0 })));
    const running = await run(work);
    for (const key of ["a", "b"]) running.controller.enqueue(key);
    await settle();
    running.stop();
    await running.clock.advance(1_000);
    expect(running.isFinished()).toBe(false);
    finish();
    await running.finished;
    expect(running.passes).toEqual(["a@0"]);
    expect(running.clock.pending()).toBe(0);
  });

  test.each([
    { when: "breaks passes off after the drain", how: "stop", afterMs: 25_000, work: obedient, logged: false },
    { when: "breaks passes off at once when forced", how: "force", afterMs: 0, work: obedient, logged: false },
    {
      when: "leaves passes behind that ignore it, and says so",
      how: "stop",
      afterMs: 30_000,
      work: stubborn,
      logged: true,
    },
  ] as const)("$when", async ({ how, afterMs, work, logged }) => {
    const running = await run(work);
    running.controller.enqueue("a");
    await settle();
    running[how]();
    await running.clock.advance(afterMs - 1);
    expect(running.isFinished()).toBe(afterMs === 0);
    await running.clock.advance(1);
    expect(running.isFinished()).toBe(true);
    expect(running.logged.includes("controller.abandoned")).toBe(logged);
    expect(running.failed).toEqual([]); // to be broken off is no fault of the pass
  });
});

describe("a standby", () => {
  test("drops what it hears, and begins with every key when it leads", async () => {
    const passes: string[] = [];
    const reconcile = (key: string): Promise<Next> => Promise.resolve(passes.push(key)).then(() => "rest");
    const controller = makeController({ name: "standby", reconcile, keys: () => ["a", "b"] });
    controller.enqueue("z");
    const stop = new AbortController();
    const finished = controller.run({ stop: stop.signal, force: new AbortController().signal });
    await settle();
    expect(passes).toEqual(["a", "b"]);
    stop.abort();
    await finished;
    controller.enqueue("a");
    await settle();
    expect(passes).toEqual(["a", "b"]);
  });

  test("that may not act any longer does not, even before it was told", async () => {
    const { controller, passes } = await run(rest, { mayAct: () => false });
    controller.enqueue("a");
    await settle();
    expect(passes).toEqual([]);
  });
});

test("a full queue is loud, and repaired by asking for every key again", async () => {
  const keys = ["a", "b", "c"];
  const settings = { queue: { maxKeys: 2 } };
  const { clock, passes, logged } = await run(rest, { keys: () => keys, settings });
  await clock.advance(0);
  expect(logged).toContain("queue.full");
  await clock.advance(30_000);
  expect(new Set(passes.map((pass) => pass[0]))).toEqual(new Set(keys));
});
