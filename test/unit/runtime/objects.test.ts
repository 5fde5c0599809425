// Small functions that everything stands on: paths, versions, own writes, triggers, the heap.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { makeHeap } from "../../../operator/runtime/heap.ts";
import { microTime } from "../../../operator/runtime/lease.ts";
import { compareVersions, keyOf, pathOf, splitKey, type KubeObject } from "../../../operator/runtime/objects.ts";
import { makeOwnWrites } from "../../../operator/runtime/own-writes.ts";
import { anyOf, enqueueOnChange, specOrCommand } from "../../../operator/runtime/triggers.ts";
import type { ChangeHandler } from "../../../operator/runtime/store.ts";

test.each([
  {
    kind: { group: "", version: "v1", plural: "pods", namespaced: true },
    at: { namespace: "a", name: "b" },
    path: "/api/v1/namespaces/a/pods/b",
  },
  { kind: { group: "", version: "v1", plural: "pods", namespaced: true }, at: {}, path: "/api/v1/pods" },
  {
    kind: { group: "g.io", version: "v2", plural: "xs", namespaced: false },
    at: { namespace: "a", name: "b", subresource: "status" },
    path: "/apis/g.io/v2/xs/b/status",
  },
  {
    kind: { group: "g.io", version: "v2", plural: "xs", namespaced: false },
    at: { name: "a/../b" },
    path: "/apis/g.io/v2/xs/a%2F..%2Fb",
  },
])("$path", ({ kind, at, path }) => {
  expect(pathOf(kind, at)).toBe(path);
});

test.each(["ns/name", "name"])("the key %s names its object", (key) => {
  expect(keyOf({ metadata: splitKey(key) })).toBe(key);
});

test("resource versions are compared as integers of any length", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n }), fc.bigInt({ min: 0n }), (a, b) => {
      expect(compareVersions(String(a), String(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
  expect(compareVersions("", "1")).toBe(-1);
});

test("a MicroTime has six digits", () => {
  expect(microTime(new Date("2030-01-02T03:04:05.006Z"))).toBe("2030-01-02T03:04:05.006000Z");
});

const object = (version: string, more: object = {}): KubeObject => ({
  metadata: { namespace: "ns", name: "a", uid: "u", generation: 1, resourceVersion: version, ...more },
});

describe("own writes", () => {
  function world(): {
    store: { seen: { resourceVersion: string; history: number }; object: KubeObject | undefined };
    writes: ReturnType<typeof makeOwnWrites>;
  } {
    const store = { seen: { resourceVersion: "10", history: 0 }, object: object("9") as KubeObject | undefined };
    return { store, writes: makeOwnWrites({ get: () => store.object, seen: () => store.seen }, 2) };
  }

  test("are read back until the cache has reached them, and not a moment longer", () => {
    const { store, writes } = world();
    writes.wrote(object("12"));
    expect(writes.get("ns/a")?.metadata.resourceVersion).toBe("12");
    store.seen = { resourceVersion: "11", history: 0 };
    expect(writes.get("ns/a")?.metadata.resourceVersion).toBe("12");
    store.seen = { resourceVersion: "12", history: 0 };
    store.object = undefined; // deleted by somebody, and seen
    expect(writes.get("ns/a")).toBeUndefined();
  });

  test("mean nothing in another history", () => {
    const { store, writes } = world();
    writes.wrote(object("12"));
    store.seen = { resourceVersion: "5", history: 1 };
    expect(writes.get("ns/a")?.metadata.resourceVersion).toBe("9");
  });

  test("that overtook each other leave the later one", () => {
    const { writes } = world();
    writes.wrote(object("13"));
    writes.wrote(object("12"));
    expect(writes.get("ns/a")?.metadata.resourceVersion).toBe("13");
  });

  test("are bounded", () => {
    const { writes } = world();
    writes.wrote(object("12"));
    for (const name of ["b", "c"]) writes.wrote(object("12", { name }));
    expect(writes.get("ns/a")?.metadata.resourceVersion).toBe("9");
  });
});

test.each([
  { when: "a new object", next: object("1"), previous: undefined, counts: true },
  { when: "a gone object", next: undefined, previous: object("1"), counts: true },
  { when: "a status write", next: object("2"), previous: object("1"), counts: false },
  { when: "a new spec", next: object("2", { generation: 2 }), previous: object("1"), counts: true },
  { when: "a deletion", next: object("2", { deletionTimestamp: "t" }), previous: object("1"), counts: true },
  { when: "a finalizer", next: object("2", { finalizers: ["f"] }), previous: object("1"), counts: true },
  {
    when: "an order by annotation",
    next: object("2", { annotations: { go: "1" } }),
    previous: object("1"),
    counts: true,
  },
  {
    when: "another annotation",
    next: object("2", { annotations: { note: "1" } }),
    previous: object("1"),
    counts: false,
  },
  { when: "an order by label", next: object("2", { labels: { l: "1" } }), previous: object("1"), counts: true },
])("$when calls for a pass: $counts", ({ next, previous, counts }) => {
  const predicate = anyOf(specOrCommand({ annotations: ["go"], labels: ["l"] }));
  expect(predicate(next, previous)).toBe(counts);
});

test("a change concerns the owners before and after, and what a start finds waits behind", () => {
  const handlers: ChangeHandler<KubeObject>[] = [];
  const asked: string[] = [];
  enqueueOnChange(
    { onChange: (handler) => void handlers.push(handler) },
    { enqueue: (key, options) => void asked.push(`${key} ${options?.priority ?? ""}`) },
    { keys: ({ metadata }) => [metadata.labels?.owner ?? "nobody"] },
  );
  handlers[0]?.("ns/a", object("2", { labels: { owner: "new" } }), object("1", { labels: { owner: "old" } }), {
    initial: false,
  });
  handlers[0]?.("ns/a", object("2", { labels: { owner: "new" } }), undefined, { initial: true });
  expect(asked).toEqual(["old live", "new live", "new background"]);
});

test("a heap gives its items in order, whatever was put, changed and removed", () => {
  const operations = fc.array(
    fc.record({ key: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"), rank: fc.nat(20), remove: fc.boolean() }),
  );
  fc.assert(
    fc.property(operations, (list) => {
      const heap = makeHeap<{ key: string; rank: number }>((a, b) => a.rank < b.rank);
      const model = new Map<string, number>();
      for (const { key, rank, remove } of list) {
        if (remove) expect(heap.remove(key)?.rank).toBe(model.get(key));
        else heap.put({ key, rank });
        if (remove) model.delete(key);
        else model.set(key, rank);
        expect(heap.first()?.rank).toBe(model.size > 0 ? Math.min(...model.values()) : undefined);
        expect(heap.size()).toBe(model.size);
      }
    }),
  );
});
