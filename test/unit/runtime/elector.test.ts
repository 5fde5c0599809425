// Electors against one Lease: who leads, from when to when, and what happens to those who stand still.
import { afterEach, describe, expect, test } from "@jest/globals";
import { LeadershipLost } from "../../../operator/runtime/leadership.ts";
import { World } from "./election-world.ts";
import type { Transport } from "../../../operator/runtime/transport.ts";
import { makeProcess } from "./lease-server.ts";
import { settle } from "./manual-clock.ts";

let world = new World();
afterEach(async () => {
  await world.close();
  world = new World();
});

test("the first becomes the leader at once, the second waits and knows who leads", async () => {
  const [a, b] = [await world.join("a"), await world.join("b")];
  await world.clock.advance(60_000);
  expect([a.elector.isLeading(), b.elector.isLeading()]).toEqual([true, false]);
  expect(b.elector.leader()).toBe("a");
  expect(a.terms).toEqual([{ identity: "a", transitions: 0 }]);
});

test("a leader that stops hands over at once: nobody waits for a clock", async () => {
  const [a, b] = [await world.join("a"), await world.join("b")];
  a.stop();
  await settle();
  await settle();
  expect([a.end(), b.terms]).toEqual(["released", [{ identity: "b", transitions: 1 }]]);
});

test("the lease is renewed while the work drains, and given back only after it", async () => {
  const [a, b] = [await world.join("a", { drains: true }), await world.join("b")];
  a.stop();
  await world.clock.advance(30_000);
  expect([a.elector.isLeading(), b.terms.length]).toEqual([true, 0]);
  a.drained();
  await settle();
  await settle();
  expect([a.end(), b.terms.length]).toEqual(["released", 1]);
});

test("a leader that vanished is followed when its lease has expired, and no earlier", async () => {
  const [a, b] = [await world.join("a"), await world.join("b")];
  await world.clock.advance(4_000);
  a.process.pause();
  await world.clock.advance(14_900);
  expect(b.terms).toEqual([]);
  await world.clock.advance(5_000);
  expect(b.terms).toEqual([{ identity: "b", transitions: 1 }]);
});

test("a leader that reaches nobody stops itself before another can begin", async () => {
  const [a, b] = [await world.join("a"), await world.join("b")];
  await world.clock.advance(20_000);
  a.process.cut(true);
  await world.clock.advance(7_900); // renewed at most 2 s before
  expect(a.elector.isLeading()).toBe(true);
  await world.clock.advance(2_100);
  expect([a.elector.isLeading(), a.end(), b.terms.length]).toEqual([false, "lost", 0]);
  expect(a.lost[0]).toBeInstanceOf(LeadershipLost);
});

test("a leader that stood still knows from the clock, before any timer told it", async () => {
  const a = await world.join("a");
  a.process.pause();
  world.clock.freeze(11_000);
  expect(a.elector.isLeading()).toBe(false);
  expect(a.lost[0]).toBeInstanceOf(LeadershipLost);
});

test("a leader that stood still past its deadline touches the lease no more, free as it may be", async () => {
  const a = await world.join("a");
  const before = world.server.writes();
  world.clock.freeze(11_000); // its next renewal was due long before the end of its term: that timer runs first
  await world.clock.advance(1);
  expect([a.end(), world.server.writes() - before]).toEqual(["lost", 0]);
});

test("a short fault of the server costs nothing", async () => {
  const a = await world.join("a");
  a.process.cut(true);
  await world.clock.advance(6_000);
  a.process.cut(false);
  await world.clock.advance(60_000);
  expect([a.elector.isLeading(), a.lost]).toEqual([true, []]);
});

test("a lease that somebody else took ends the term", async () => {
  const a = await world.join("a");
  world.server.edit({ holderIdentity: "thief" });
  await world.clock.advance(2_500);
  expect([a.elector.isLeading(), a.end()]).toEqual([false, "lost"]);
});

test.each([-86_400_000, 86_400_000])("clocks that differ by %i ms do not matter", async (skewMs) => {
  const [a, b] = [await world.join("a", { skewMs }), await world.join("b")];
  await world.clock.advance(60_000);
  expect([a.elector.isLeading(), b.terms.length]).toEqual([true, 0]);
});

describe("a process that is told to end at once", () => {
  test("loses its term and leaves the lease to expire: its work may still run", async () => {
    const [a, b] = [await world.join("a", { drains: true }), await world.join("b")];
    a.force();
    await settle();
    expect([a.end(), b.terms.length]).toEqual(["lost", 0]);
  });

  test("gives back at once what it won while it was told so: nobody waits for it to expire", async () => {
    const a = await world.join("a");
    const process = makeProcess(world.clock);
    const direct = world.server.transport(process);
    const answered = Promise.withResolvers<undefined>();
    const transport: Transport = {
      ...direct,
      request: async (...asked) => {
        const answer = await direct.request(...asked);
        if (asked[0].method === "PUT") await answered.promise;
        return answer;
      },
    };
    const b = await world.join("b", { transport });
    const c = await world.join("c");
    c.stop();
    a.stop();
    await settle();
    expect(world.server.lease()?.spec?.holderIdentity).toBe("b");
    b.stop();
    answered.resolve(undefined);
    await settle();
    await settle();
    expect([b.end(), b.terms, world.server.lease()?.spec?.holderIdentity]).toEqual(["stopped", [], ""]);
  });

  test("ends without a trace when it was only waiting", async () => {
    const [, b] = [await world.join("a"), await world.join("b")];
    b.stop();
    await settle();
    expect(b.end()).toBe("stopped");
  });
});

test("work that fails gives the lease back", async () => {
  const a = await world.join("a", { onStartedLeading: () => Promise.reject(new Error("no database")) });
  await settle();
  expect([a.end(), world.server.lease()?.spec?.holderIdentity]).toEqual(["failed", ""]);
});

test.each([
  { settings: { leaseMs: 10_000, renewDeadlineMs: 10_000 }, says: "set leaseMs above renewDeadlineMs" },
  { settings: { renewDeadlineMs: 2_400, retryMs: 2_000 }, says: "set renewDeadlineMs above 1.2 × retryMs" },
])("settings without a margin are refused: $says", async ({ settings, says }) => {
  await expect(world.join("a", { settings })).rejects.toThrow(says);
});
