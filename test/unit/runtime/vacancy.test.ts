// Waiting for replicas that count shards differently: until each of their Leases is given back, gone, or expired.
import { afterEach, expect, test } from "@jest/globals";
import { makeLeaseClient } from "../../../operator/runtime/lease.ts";
import { untilVacant } from "../../../operator/runtime/vacancy.ts";
import { makeLeaseCollection } from "./lease-collection.ts";
import { makeProcess } from "./lease-server.ts";
import { makeManualClock, settle } from "./manual-clock.ts";

const LEASE_MS = 15_000;
const end = new AbortController();
afterEach(() => end.abort(new Error("the test is over")));

const never = new AbortController().signal;

/** A holder of one Lease, which it renews every two seconds until it is told to stop. */
async function hold(world: ReturnType<typeof makeWorld>, name: string) {
  const client = makeLeaseClient(world.transport, { namespace: "ns", name });
  const claim = () => ({ identity: "old", leaseMs: LEASE_MS, date: world.clock.date() });
  let lease = await client.claim(undefined, claim(), { signal: never });
  let isRenewing = true;
  const renew = async (): Promise<void> => {
    if (!isRenewing) return;
    lease = await client.claim(lease, claim(), { signal: never });
    world.clock.after(2000, () => void renew());
  };
  world.clock.after(2000, () => void renew());
  return {
    fallSilent: () => (isRenewing = false),
    giveBack: async () => {
      isRenewing = false;
      if (lease) await client.release(lease, world.clock.date(), { signal: never });
    },
  };
}

function makeWorld() {
  const clock = makeManualClock();
  const server = makeLeaseCollection();
  return { clock, server, transport: server.transport(makeProcess(clock)) };
}

function waiting({ clock, transport }: ReturnType<typeof makeWorld>, names: readonly string[], signal = never) {
  const state = { ended: "waits" };
  const deps = { transport, namespace: "ns", names, pollMs: 1000, leaseMs: LEASE_MS, clock };
  untilVacant(deps, signal).then(
    () => (state.ended = "vacant"),
    (error: unknown) => (state.ended = (error as Error).message),
  );
  return () => state.ended;
}

test("what was never made is vacant at once", async () => {
  const ended = waiting(makeWorld(), ["old-0", "old-1"]);
  await settle();
  expect(ended()).toBe("vacant");
});

test("as long as one is renewed it waits, and goes on when that is given back", async () => {
  const world = makeWorld();
  const [zero, one] = [await hold(world, "old-0"), await hold(world, "old-1")];
  const ended = waiting(world, ["old-0", "old-1"]);
  await zero.giveBack();
  await world.clock.advance(120_000);
  expect(ended()).toBe("waits");
  await one.giveBack();
  await world.clock.advance(1000);
  expect(ended()).toBe("vacant");
});

test("of one that was killed it waits for the whole time of the Lease, as seen from here", async () => {
  const world = makeWorld();
  (await hold(world, "old-0")).fallSilent();
  await world.clock.advance(60_000); // nobody looked
  const ended = waiting(world, ["old-0"]);
  await world.clock.advance(LEASE_MS - 1000);
  expect(ended()).toBe("waits");
  await world.clock.advance(2000);
  expect(ended()).toBe("vacant");
});

test("it ends when it is told to", async () => {
  const world = makeWorld();
  const holder = await hold(world, "old-0");
  const stop = new AbortController();
  const ended = waiting(world, ["old-0"], stop.signal);
  await world.clock.advance(5000);
  stop.abort(new Error("stopped"));
  await settle();
  expect(ended()).toBe("stopped");
  holder.fallSilent();
});
