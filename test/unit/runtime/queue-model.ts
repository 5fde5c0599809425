// What the queue must do, said as simply as possible: one list, searched from its beginning. And the commands that
// compare the queue with it, step by step.
import fc from "fast-check";
import { expect } from "@jest/globals";
import type { Queue, QueueDeps } from "../../../operator/runtime/queue.ts";
import type { Priority } from "../../../operator/runtime/lanes.ts";
import { makeManualClock, settle, type ManualClock } from "./manual-clock.ts";

const BASE_MS = 100;
const CEILING_MS = 1_000;
const LUCK = 0.5;
const BACKGROUND_EVERY = 3;

interface Wish {
  readonly dueMs: number;
  readonly priority: Priority;
}
interface Entry extends Wish {
  readonly key: string;
  /** The place in its line; undefined while it waits for its time. */
  readonly line?: number;
}

/** The specification. */
export class Model {
  nowMs = 1_000;
  isDown = false;
  entries: Entry[] = []; // in the order of arrival
  flights = new Map<string, Wish | undefined>();
  faults = new Map<string, number>();
  takers = 0;
  handed: (string | undefined)[] = [];
  places = 0;
  turns = 0;

  add(key: string, afterMs: number, priority: Priority): void {
    if (!this.isDown) this.put(key, { dueMs: this.nowMs + afterMs, priority });
  }

  put(key: string, wish: Wish): void {
    if (this.flights.has(key)) {
      this.flights.set(key, stricter(this.flights.get(key), wish));
      return;
    }
    const at = this.entries.findIndex((entry) => entry.key === key);
    const old = this.entries[at];
    const merged = { key, ...stricter(old, wish) };
    if (!old) this.entries.push(merged);
    else if (old.line === undefined) this.entries[at] = merged;
    else if (merged.priority !== old.priority) this.entries[at] = { ...merged, line: this.places++ };
    this.handOut();
  }

  advance(byMs: number): void {
    const untilMs = this.nowMs + byMs;
    while (!this.isDown) {
      const dues = this.entries.filter(({ line, dueMs }) => line === undefined && dueMs <= untilMs);
      if (dues.length === 0) break;
      this.nowMs = Math.max(this.nowMs, Math.min(...dues.map(({ dueMs }) => dueMs)));
      this.handOut();
    }
    this.nowMs = untilMs;
  }

  handOut(): void {
    const due = this.entries.filter(({ line, dueMs }) => line === undefined && dueMs <= this.nowMs);
    for (const entry of due.sort((a, b) => a.dueMs - b.dueMs)) {
      this.entries[this.entries.indexOf(entry)] = { ...entry, line: this.places++ };
    }
    while (this.takers > 0 && this.ready().length > 0) {
      const next = this.next();
      this.takers -= 1;
      this.entries.splice(this.entries.indexOf(next), 1);
      this.flights.set(next.key, undefined);
      this.handed.push(next.key);
    }
  }

  next(): Entry {
    const [live, background] = [this.ready("live"), this.ready("background")];
    const isContested = live.length > 0 && background.length > 0;
    if (isContested) this.turns = (this.turns + 1) % BACKGROUND_EVERY;
    const line = live.length === 0 || (isContested && this.turns === 0) ? background : live;
    return line.reduce((a, b) => ((a.line ?? 0) < (b.line ?? 0) ? a : b));
  }

  ready(priority?: Priority): Entry[] {
    return this.entries.filter((entry) => entry.line !== undefined && entry.priority === (priority ?? entry.priority));
  }

  done(key: string): void {
    const again = this.flights.get(key);
    this.flights.delete(key);
    if (again && !this.isDown) this.put(key, again);
  }

  retry(key: string): number {
    const attempt = this.faults.get(key) ?? 0;
    this.faults.set(key, attempt + 1);
    const afterMs = LUCK * Math.min(CEILING_MS, BASE_MS * 2 ** attempt);
    this.add(key, afterMs, "background");
    return afterMs;
  }

  shutDown(): void {
    this.isDown = true;
    this.handed.push(...Array.from({ length: this.takers }, () => undefined));
    this.takers = 0;
  }
}

function stricter(a: Wish | undefined, b: Wish): Wish {
  const isLive = a?.priority === "live" || b.priority === "live";
  return { dueMs: Math.min(a?.dueMs ?? Infinity, b.dueMs), priority: isLive ? "live" : "background" };
}

interface Real {
  readonly queue: Queue;
  readonly clock: ManualClock;
  readonly handed: (string | undefined)[];
}

type Step = fc.AsyncCommand<Model, Real>;

function step(
  name: string,
  run: (model: Model, real: Real) => Promise<void> | void,
  check?: (model: Model) => boolean,
): Step {
  return {
    check: (model) => check?.(model) ?? true,
    run: async (model, real) => {
      await run(model, real);
      await settle();
      expect(real.handed).toEqual(model.handed);
      expect(real.queue.depth("live")).toBe(model.ready("live").length);
      expect(real.queue.depth("background")).toBe(model.ready("background").length);
      expect(real.queue.size()).toBe(model.entries.length);
    },
    toString: () => name,
  };
}

const keys = fc.constantFrom("a", "b", "c", "d", "e", "f");
const delays = fc.constantFrom(0, 0, 0, 10, 20, 50, 500);
const priorities = fc.constantFrom<Priority>("live", "background");
const nth = fc.nat(5);

const inFlight = (model: Model, at: number): string => [...model.flights.keys()][at % model.flights.size] ?? "";

const steps: fc.Arbitrary<Step>[] = [
  fc.tuple(keys, delays, priorities).map(([key, afterMs, priority]) =>
    step(`add(${key}, ${afterMs}, ${priority})`, (model, { queue }) => {
      model.add(key, afterMs, priority);
      expect(queue.add(key, { afterMs, priority })).toBe(!model.isDown);
    }),
  ),
  fc.constant(
    step("take", (model, { queue, handed }) => {
      if (model.isDown) model.handed.push(undefined);
      else model.takers += 1;
      void queue.take().then((taken) => handed.push(taken?.key));
      if (!model.isDown) model.handOut();
    }),
  ),
  nth.map((at) =>
    step(
      `done(#${at})`,
      (model, { queue }) => {
        const key = inFlight(model, at);
        model.done(key);
        queue.done(key);
      },
      (model) => model.flights.size > 0,
    ),
  ),
  nth.map((at) =>
    step(
      `retry(#${at})`,
      (model, { queue }) => {
        const key = inFlight(model, at);
        expect(queue.retry(key)).toBe(model.retry(key));
      },
      (model) => model.flights.size > 0,
    ),
  ),
  keys.map((key) =>
    step(`forget(${key})`, (model, { queue }) => {
      model.faults.delete(key);
      queue.forget(key);
    }),
  ),
  fc.constantFrom(5, 10, 50, 600).map((byMs) =>
    step(`advance(${byMs})`, async (model, { clock }) => {
      model.advance(byMs);
      await clock.advance(byMs);
    }),
  ),
];

const shutDown = step("shutDown", (model, { queue }) => {
  model.shutDown();
  queue.shutDown();
});

/** A queue, fed with generated commands, does what the model says after each of them. */
export function queueFollowsModel(makeQueue: (deps: QueueDeps) => Queue): fc.IAsyncProperty<[Iterable<Step>]> {
  const often = steps.flatMap((arbitrary) => [arbitrary, arbitrary, arbitrary, arbitrary]);
  const commands = fc.commands([...often, fc.constant(shutDown)], { maxCommands: 120, size: "max" });
  return fc.asyncProperty(commands, async (list) => {
    const clock = makeManualClock();
    const settings = {
      baseMs: BASE_MS,
      ceilingMs: CEILING_MS,
      retriesPerSecond: 1e9,
      retryBurst: 1e9,
      backgroundEvery: BACKGROUND_EVERY,
    };
    const queue = makeQueue({ clock, random: () => LUCK, settings });
    await fc.asyncModelRun(() => ({ model: new Model(), real: { queue, clock, handed: [] } }), list);
  });
}
