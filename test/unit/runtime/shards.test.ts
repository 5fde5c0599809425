// The hash that shares out keys, and the rule that shares out shards.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { holdersOf, shardOf } from "../../../operator/runtime/shards.ts";

describe("the shard of a key", () => {
  // Written down: another answer means that two versions of the operator would both work on a key, or neither.
  test.each([
    { key: "studio/poster", of: [0, 1, 1, 13] },
    { key: "genop-demo/a", of: [0, 0, 2, 18] },
    { key: "tenant-1/task-000", of: [0, 0, 0, 60] },
  ])("of $key is what it always was", ({ key, of }) => {
    expect([1, 2, 4, 64].map((count) => shardOf(key, count))).toEqual(of);
  });

  test("is one of so many, for any key", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (key, count) => {
        const shard = shardOf(key, count);
        expect(Number.isInteger(shard) && shard >= 0 && shard < count).toBe(true);
      }),
    );
  });

  test.each([
    { what: "numbered", key: (i: number) => `studio/task-${String(i).padStart(5, "0")}` },
    { what: "even numbers only", key: (i: number) => `studio/task-${2 * i}` },
    { what: "one name in many namespaces", key: (i: number) => `tenant-${i}/poster` },
    { what: "hexadecimal", key: (i: number) => `a/${(i * 2_654_435_761).toString(16)}` },
  ])("keys that are $what are spread evenly", ({ key }) => {
    const keys = 4000;
    for (const count of [2, 3, 4, 7, 16, 64]) {
      const loads = Array.from({ length: count }, () => 0);
      for (let i = 0; i < keys; i++) {
        const shard = shardOf(key(i), count);
        loads[shard] = (loads[shard] ?? 0) + 1;
      }
      // Five standard deviations of a fair spread.
      const fair = keys / count;
      const slack = 5 * Math.sqrt(fair);
      expect([count, loads.filter((load) => Math.abs(load - fair) > slack)]).toEqual([count, []]);
    }
  });
});

const member = fc.string({ minLength: 1, maxLength: 12 });
const members = fc.uniqueArray(member, { minLength: 1, maxLength: 12 });
const count = fc.integer({ min: 1, max: 64 });

function moved(before: readonly unknown[], after: readonly unknown[]): number {
  return before.filter((holder, shard) => holder !== after[shard]).length;
}

describe("the holders of shards", () => {
  test("are members, one for each shard, whose loads differ by at most one", () => {
    fc.assert(
      fc.property(count, members, (shards, names) => {
        const holders = holdersOf(shards, names);
        expect(holders).toHaveLength(shards);
        const loads = names.map((name) => holders.filter((holder) => holder === name).length);
        expect(loads.reduce((sum, load) => sum + load, 0)).toBe(shards);
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("are the same for everybody, in whatever order the members are known", () => {
    fc.assert(
      fc.property(count, members, (shards, names) => {
        expect(holdersOf(shards, [...names].reverse())).toEqual(holdersOf(shards, names));
        expect(holdersOf(shards, [...names, ...names])).toEqual(holdersOf(shards, names));
      }),
    );
  });

  test("are nobody where there is no member", () => {
    expect(holdersOf(3, [])).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    { shards: 4, names: 3 },
    { shards: 16, names: 3 },
    { shards: 64, names: 5 },
    { shards: 64, names: 10 },
  ])("of $shards shards change for few when one of $names members comes or goes", ({ names, shards }) => {
    const worlds = 100;
    let changes = 0;
    for (let world = 0; world < worlds; world++) {
      const all = Array.from({ length: names }, (_, i) => `pod-${world}-${i}`);
      changes += moved(holdersOf(shards, all.slice(1)), holdersOf(shards, all));
    }
    // One that comes must get its share, and on the average takes less than another half of it along.
    expect(changes / worlds).toBeLessThan(1.75 * Math.ceil(shards / names));
  });
});
