// What a task costs the API server and the database, held here so that it does not creep back. The same is measured on real
// parts by `npm run bench -- lifecycle`.
import { describe, expect, test } from "@jest/globals";
import { eventFor } from "../../operator/kube/task-events.ts";
import type { Books, Deps } from "../../operator/reconcile/ports.ts";
import { statusPatch } from "../../operator/runtime/status.ts";
import { makeWorld } from "../fakes/world.ts";
import type { World, WorldOptions } from "../fakes/world.ts";

interface Cost {
  writes: number;
  events: number;
  transactions: number;
}

/** Every method of the books is one transaction, and a report that changes nothing is no write. */
function counting(world: World, cost: Cost): Deps {
  const { tasks } = world.deps;
  const books = new Proxy<Books>(world.deps.books, {
    get: (target, name, receiver) => {
      cost.transactions += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const report: Deps["tasks"]["report"] = async (task, status, signal) => {
    if (statusPatch({ ...world.status() }, { ...status })) cost.writes += 1;
    if (eventFor(world.status(), status)) cost.events += 1;
    await tasks.report(task, status, signal);
  };
  const pin: Deps["tasks"]["pin"] = (...values) => {
    cost.writes += 1;
    return tasks.pin(...values);
  };
  return { ...world.deps, books, tasks: { ...tasks, report, pin } };
}

async function costOf(options: WorldOptions): Promise<Cost> {
  const cost: Cost = { writes: 0, events: 0, transactions: 0 };
  const world = makeWorld(options);
  await world.run(counting(world, cost));
  return cost;
}

describe("the whole life of a task costs", () => {
  test("four writes to its object, two events and seven transactions, when its job is done by the first query", async () => {
    expect(await costOf({ runs: 0 })).toEqual({ writes: 4, events: 2, transactions: 7 });
  });

  test("one write more once a query finds it running, and two transactions a query", async () => {
    expect(await costOf({ runs: 1 })).toEqual({ writes: 5, events: 2, transactions: 9 });
    expect(await costOf({ runs: 20 })).toEqual({ writes: 5, events: 2, transactions: 47 });
  });

  test("one write and one event more when its submit's answer is lost", async () => {
    expect(await costOf({ submits: ["lost-after"], runs: 0 })).toMatchObject({ writes: 5, events: 3 });
  });

  test("two writes while its credits are missing, however long", async () => {
    expect(await costOf({ credits: 1n })).toMatchObject({ writes: 2, events: 0 });
  });
});
