// Replicas that share shards out: who holds which, when replicas come, go, are killed, stand still or are cut off.
import { afterEach, describe, expect, test } from "@jest/globals";
import { leaseNameOf } from "../../../operator/runtime/seats.ts";
import { adviceFor, holdersOf, type Situation } from "../../../operator/runtime/shards.ts";
import { settle } from "./manual-clock.ts";
import { LEASE_MS, MEMBER, SHARDS, World, setGhost } from "./seats-world.ts";

let world = new World();
afterEach(async () => {
  await world.close();
  world = new World();
});

const ideal = (...identities: readonly string[]): readonly (string | undefined)[] => holdersOf(SHARDS, identities);
const historyOf = (shard: number): readonly string[] => world.server.history(leaseNameOf("lease", shard, SHARDS));

test("a replica alone takes every shard at once", async () => {
  await world.join("a");
  await settle();
  expect(world.leaders()).toEqual(["a", "a", "a", "a"]);
});

test("each that comes gets its share, and within seconds everybody holds what he should", async () => {
  await world.join("a");
  await world.advance(1000);
  await world.join("b");
  await world.join("c");
  await world.advance(10_000);
  expect(world.leaders()).toEqual(ideal("a", "b", "c"));
  const before = Array.from({ length: SHARDS }, (_, shard) => historyOf(shard));
  await world.advance(120_000);
  expect(Array.from({ length: SHARDS }, (_, shard) => historyOf(shard))).toEqual(before); // and stays with it
});

test("one that stops in order is followed at once, and leaves no Lease of its own", async () => {
  await world.join("a");
  const b = await world.join("b");
  await world.advance(10_000);
  b.stop();
  await settle();
  await settle();
  expect([b.hasEnded(), b.failed(), world.leaders()]).toEqual([true, undefined, ["a", "a", "a", "a"]]);
  expect(world.server.names().filter((name) => name.startsWith(MEMBER))).toEqual([`${MEMBER}a`]);
});

test("a shard that is to be moved is drained first, its lease renewed meanwhile", async () => {
  const a = await world.join("a", { drains: true });
  await world.join("b");
  await world.advance(40_000);
  expect([world.leaders(), a.lost]).toEqual([["a", "a", "a", "a"], []]);
  a.drained();
  await settle();
  await settle();
  expect(world.leaders()).toEqual(ideal("a", "b"));
});

test("what one that was killed held is taken when its leases expire, by those who should hold it then", async () => {
  await world.join("a");
  await world.join("b");
  const c = await world.join("c");
  await world.advance(10_000);
  const held = world.leaders().filter((leader) => leader === "c").length;
  expect(held).toBeGreaterThan(0);
  c.process.pause();
  world.replicas.splice(2, 1);
  await world.advance(LEASE_MS - 2000 - 250);
  expect(world.leaders().filter((leader) => leader === "")).toHaveLength(held);
  await world.advance(2000 + 4000);
  expect(world.leaders()).toEqual(ideal("a", "b"));
  world.replicas.push(c);
});

test("a Lease of one that was killed is taken away, after a while and by whoever is left", async () => {
  await world.join("a");
  const b = await world.join("b");
  await world.advance(1000);
  b.process.pause();
  world.replicas.splice(1, 1);
  await world.advance(4 * LEASE_MS);
  expect(world.server.names()).toContain(`${MEMBER}b`);
  await world.advance(2 * LEASE_MS);
  expect(world.server.names()).not.toContain(`${MEMBER}b`);
  world.replicas.push(b);
});

test("one whose Lease was taken away while it lives announces itself again", async () => {
  await world.join("a");
  await world.join("b");
  await world.advance(10_000);
  world.server.remove(`${MEMBER}b`);
  await world.advance(10_000);
  expect([world.server.names().includes(`${MEMBER}b`), world.leaders()]).toEqual([true, ideal("a", "b")]);
});

test("one that reaches nobody loses its shards, breaks their work off and ends with a fault", async () => {
  const a = await world.join("a");
  await world.join("b");
  await world.advance(10_000);
  const held = world.leaders().flatMap((leader, shard) => (leader === "a" ? [shard] : []));
  a.process.cut(true);
  await world.advance(10_000 + LEASE_MS / 3); // to take its own Lease back is tried for so long
  expect([a.lost.toSorted(), a.failed()]).toEqual([held, expect.stringContaining("the lease was lost")]);
  await world.advance(10_000);
  expect(world.leaders()).toEqual(["b", "b", "b", "b"]);
});

test("when one lease is lost, the others of the process are given back in order", async () => {
  const a = await world.join("a");
  await world.join("b");
  await world.advance(10_000);
  const held = world.leaders().flatMap((leader, shard) => (leader === "a" ? [shard] : []));
  const [first = 0, ...others] = held;
  world.server.remove(leaseNameOf("lease", first, SHARDS));
  await world.advance(12_000);
  expect([a.lost, a.hasEnded()]).toEqual([[first], true]);
  expect(others.map((shard) => historyOf(shard).includes(""))).toEqual(others.map(() => true));
});

test("a shard that the right holder does not take goes to another after the time of a lease, and stays there", async () => {
  const a = await world.join("a");
  const ghost = await world.join("ghost");
  await world.advance(10_000);
  const should = ideal("a", "ghost").flatMap((holder, shard) => (holder === "ghost" ? [shard] : []));
  expect(should.length).toBeGreaterThan(0);
  // It says that it is there, and does nothing: another process with its identity that leads nothing.
  ghost.stop();
  await settle();
  const busy = setGhost(world);
  await world.advance(LEASE_MS + 5000);
  expect(world.leaders()).toEqual(["a", "a", "a", "a"]);
  await world.advance(4 * LEASE_MS);
  expect([world.leaders(), a.lost]).toEqual([["a", "a", "a", "a"], []]);
  busy();
});

describe("what a replica does about a shard", () => {
  const held: Situation = { isPreferred: false, isLeading: true, othersForMs: 0, freeForMs: 0, keepForMs: 0 };
  const idle: Situation = { ...held, isLeading: false };
  test.each([
    { what: "its own, that nobody holds", situation: { ...idle, isPreferred: true }, advice: "stand" },
    { what: "its own, that it holds", situation: { ...held, isPreferred: true }, advice: "stand" },
    { what: "another's, that is held", situation: idle, advice: "leave" },
    { what: "another's, free for a moment", situation: { ...idle, freeForMs: LEASE_MS - 1 }, advice: "leave" },
    { what: "another's, free for long", situation: { ...idle, freeForMs: LEASE_MS }, advice: "stand" },
    { what: "held, another's since a moment", situation: { ...held, othersForMs: 4999 }, advice: "stay" },
    { what: "held, another's since a while", situation: { ...held, othersForMs: 5000 }, advice: "leave" },
    { what: "taken over, to be kept", situation: { ...held, othersForMs: 99_999, keepForMs: 1 }, advice: "stay" },
  ])("$what: $advice", ({ advice, situation }) => {
    expect(adviceFor(situation, LEASE_MS)).toBe(advice);
  });
});
