// Whatever goes over every task there is gives way to others in between. Time passes with each look at a task here, so that the
// number of tasks in a piece is exact.
import { expect, test } from "@jest/globals";
import { setImmediate as turn } from "node:timers/promises";
import { observeKube } from "../../../operator/kube/gauges.ts";
import type { QuotaStanding } from "../../../operator/kube/quota.ts";
import type { CachedTask } from "../../../operator/kube/kept-task.ts";
import { makeMetrics } from "../../../operator/observe/metrics.ts";
import type { Clock } from "../../../operator/runtime/clock.ts";
import { makeController } from "../../../operator/runtime/controller.ts";
import { makeWake, unfinishedFirst } from "../../../operator/wiring/wake.ts";

const COUNT = 200;
/** Far from all, and the slice is 8 ms. */
const PIECE = 40;

interface Scene {
  readonly clock: Clock;
  readonly tasks: readonly CachedTask[];
}

/** Every look at a task's phase takes a millisecond. */
function makeScene(): Scene {
  let nowMs = 0;
  const clock: Clock = { monotonicMs: () => nowMs, date: () => new Date(nowMs), after: () => () => undefined };
  const task = (index: number): CachedTask => ({
    metadata: { name: `t${index}`, namespace: "studio" },
    provider: "acme",
    read: { objectKey: `studio/t${index}`, message: "not read here" },
    get phase() {
      nowMs += 1;
      return index % 2 === 0 ? "Succeeded" : ("Polling" as const);
    },
  });
  return { clock, tasks: Array.from({ length: COUNT }, (_, index) => task(index)) };
}

async function turnsUntil(isDone: () => boolean): Promise<number> {
  for (let turns = 0; turns < COUNT; turns += 1) {
    if (isDone()) return turns;
    await turn();
  }
  throw new Error("it has not come to its end");
}

test("a controller that begins puts its keys into the queue piece by piece, those that have not ended first", async () => {
  const { clock, tasks } = makeScene();
  const controller = makeController({
    name: "tasks",
    clock,
    reconcile: () => new Promise(() => undefined),
    keys: () => unfinishedFirst(tasks),
    settings: { workers: 1 },
  });
  const never = new AbortController().signal;
  void controller.run({ stop: never, force: never });
  expect(controller.depth()).toBeLessThan(PIECE);
  expect(await turnsUntil(() => controller.depth() === COUNT - 1)).toBeGreaterThan(COUNT / PIECE);
  expect([...unfinishedFirst(tasks, (key) => key.endsWith("9"))].slice(0, 2)).toEqual(["studio/t9", "studio/t19"]);
});

test("whoever waits for a provider is woken piece by piece", async () => {
  const { clock, tasks } = makeScene();
  const woken: string[] = [];
  makeWake(() => tasks, { enqueue: (key) => void woken.push(key) }, clock).tasksOfProviders(["acme"]);
  expect(woken.length).toBeLessThan(PIECE);
  expect(await turnsUntil(() => woken.length === COUNT / 2)).toBeGreaterThan(COUNT / PIECE);
});

test("a scrape counts the tasks piece by piece", async () => {
  const { clock, tasks } = makeScene();
  const metrics = makeMetrics();
  const standing = (): QuotaStanding => ({ state: "unlimited", message: "" });
  observeKube(metrics, {
    ...{ clock, tasks: { list: () => tasks }, providers: { ready: () => new Map<string, boolean>() } },
    quotas: { problems: () => new Map(), standing },
  });
  let text: string | undefined;
  void metrics.scrape().then((scraped) => (text = scraped.text));
  expect(await turnsUntil(() => text !== undefined)).toBeGreaterThan(COUNT / PIECE);
  expect(text).toContain(`genop_tasks{phase="Polling"} ${COUNT / 2}`);
});
