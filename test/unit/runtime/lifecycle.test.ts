// The order of a life, its two deadlines, and what health says about it.
import { describe, expect, test } from "@jest/globals";
import { makeLoopMeter } from "../../../operator/runtime/event-loop.ts";
import { liveness, readiness, type HealthFacts } from "../../../operator/runtime/health.ts";
import {
  makeLifecycle,
  type Lifecycle,
  type LifecycleDeps,
  type Outcome,
  type Part,
} from "../../../operator/runtime/lifecycle.ts";
import { makeManualClock, settle, type ManualClock } from "./manual-clock.ts";

interface Life {
  readonly lifecycle: Lifecycle;
  readonly clock: ManualClock;
  readonly happened: string[];
  readonly stop: () => void;
  readonly force: () => void;
  readonly outcome: () => Outcome | undefined;
}

type Kind = "good" | "slow" | "stubborn" | "unready" | "broken" | "brief";

function part(name: string, kind: Kind, happened: string[]): Part {
  return {
    name,
    run: async (signals, ready) => {
      happened.push(`${name} starts`);
      if (kind === "broken") throw new Error(`${name} broke`);
      if (kind === "brief") return;
      if (kind !== "unready") ready();
      await new Promise<void>((resolve) => {
        const end = (how: string) => () => {
          happened.push(`${name} ${how}`);
          resolve();
        };
        if (kind === "good" || kind === "unready") signals.stop.addEventListener("abort", end("stops"));
        if (kind === "slow") signals.force.addEventListener("abort", end("breaks off"));
      });
    },
  };
}

async function live(kinds: readonly Kind[], settings: LifecycleDeps["settings"] = {}): Promise<Life> {
  const clock = makeManualClock();
  const happened: string[] = [];
  const parts = kinds.map((kind, at) => part(String.fromCharCode(97 + at), kind, happened));
  const lifecycle = makeLifecycle({ parts, clock, settings });
  const [stop, force] = [new AbortController(), new AbortController()];
  let outcome: Outcome | undefined;
  void lifecycle.run({ stop: stop.signal, force: force.signal }).then((value) => (outcome = value));
  await settle();
  return { lifecycle, clock, happened, stop: () => stop.abort(), force: () => force.abort(), outcome: () => outcome };
}

test("parts start in order, stop in reverse, and readiness lies between", async () => {
  const life = await live(["good", "good", "good"]);
  expect(life.lifecycle.isReady()).toBe(true);
  life.stop();
  expect([life.lifecycle.isReady(), life.lifecycle.isStopping()]).toEqual([false, true]);
  await settle();
  expect(life.happened).toEqual(["a starts", "b starts", "c starts", "c stops", "b stops", "a stops"]);
  expect(life.outcome()).toEqual({ ended: "stopped", forced: false, leftBehind: [] });
  expect(life.clock.pending()).toBe(0);
});

test("traffic has time to leave before the first part stops", async () => {
  const life = await live(["good"], { quietMs: 3_000 });
  life.stop();
  await life.clock.advance(2_999);
  expect(life.happened).toEqual(["a starts"]);
  await life.clock.advance(1);
  expect(life.outcome()?.ended).toBe("stopped");
});

test("a part that drains too long is told to break off, one that ignores even that is left behind", async () => {
  const life = await live(["good", "stubborn", "slow"], { drainMs: 10_000, forceMs: 2_000 });
  life.stop();
  await life.clock.advance(9_999);
  expect(life.happened.slice(3)).toEqual([]);
  await life.clock.advance(1);
  expect(life.happened.slice(3)).toEqual(["c breaks off", "a stops"]);
  await life.clock.advance(2_000);
  expect(life.outcome()).toEqual({ ended: "stopped", forced: true, leftBehind: ["b"] });
});

test("a second wish to end skips the drain", async () => {
  const life = await live(["slow"]);
  life.stop();
  life.force();
  await settle();
  expect(life.outcome()).toMatchObject({ ended: "stopped", forced: true });
});

describe("the process fails, and the other parts stop in order, when a part", () => {
  test.each([
    { kind: "broken", error: new Error("b broke") },
    { kind: "brief", error: undefined },
  ] as const)("is $kind", async ({ kind, error }) => {
    const life = await live(["good", kind, "good"]);
    expect(life.outcome()).toMatchObject({ ended: "failed", part: "b", error });
    expect(life.happened).toEqual(["a starts", "b starts", "a stops"]);
  });

  test("does not become ready in time", async () => {
    const life = await live(["good", "unready"], { startMs: 5_000 });
    await life.clock.advance(5_000);
    expect(life.outcome()).toMatchObject({
      ended: "failed",
      part: "b",
      error: { message: "cannot start b: not ready after 5000 ms" },
    });
  });
});

test("a wish to end that comes during the start is heeded", async () => {
  const life = await live(["good", "unready", "good"]);
  life.stop();
  await settle();
  expect(life.happened).toEqual(["a starts", "b starts", "b stops", "a stops"]);
});

const well: HealthFacts = {
  loopStalledShare: 0.01,
  watches: [{ name: "things", isSynced: true, progressAgoMs: 60_000 }],
  controllers: [{ name: "things", longestPassMs: 50_000 }],
  isStarted: true,
  isStopping: false,
};

test.each([
  { when: "all is well", facts: {}, alive: true, ready: true },
  { when: "the event loop stands still", facts: { loopStalledShare: 0.6 }, alive: false, ready: true },
  {
    when: "a watching loop hangs",
    facts: { watches: [{ name: "w", isSynced: true, progressAgoMs: 301_000 }] },
    alive: false,
    ready: true,
  },
  {
    when: "a pass never ends",
    facts: { controllers: [{ name: "c", longestPassMs: 601_000 }] },
    alive: false,
    ready: true,
  },
  {
    when: "a cache is not whole",
    facts: { watches: [{ name: "w", isSynced: false, progressAgoMs: 0 }] },
    alive: true,
    ready: false,
  },
  { when: "it starts", facts: { isStarted: false }, alive: true, ready: false },
  { when: "it stops", facts: { isStopping: true }, alive: true, ready: false },
])("when $when, it is alive: $alive, ready: $ready", ({ facts, alive, ready }) => {
  const seen = { ...well, ...facts };
  expect([liveness(seen).isWell, readiness(seen).isWell]).toEqual([alive, ready]);
  expect(liveness(seen).problems.length + readiness(seen).problems.length).toBe(alive && ready ? 0 : 1);
});

test("the meter of the event loop forgets a stall after a minute", async () => {
  const clock = makeManualClock();
  const meter = makeLoopMeter(clock);
  await clock.advance(2_000);
  expect(meter.stalledShare()).toBe(0);
  clock.freeze(30_000);
  await clock.advance(500);
  expect(meter.stalledShare()).toBeCloseTo(0.5, 1);
  expect(meter.longestStallMs()).toBeGreaterThan(29_000);
  await clock.advance(61_000);
  expect(meter.stalledShare()).toBe(0);
  meter.stop();
  expect(clock.pending()).toBe(0);
});
