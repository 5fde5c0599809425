// The stream of a namespace: what a client who comes again is told, what a slow one is, and that no id promises too much.
import type { ServerResponse } from "node:http";
import { expect, test } from "@jest/globals";
import { makeHub } from "../../../api-shim/events/hub.ts";
import { streamNamespace } from "../../../api-shim/events/namespace-stream.ts";
import { cachedView, type CachedView } from "../../../api-shim/tasks/view.ts";
import { makeStore, type WritableStore } from "../../../operator/runtime/store.ts";
import { makeManualClock } from "../runtime/manual-clock.ts";
import { Reader } from "./reader.ts";

const SETTINGS = { heartbeatMs: 1_000, lifetimeMs: 60_000, stallMs: 5_000 };
const noPause = (): undefined => undefined;

function task(name: string, version: number, namespace = "studio"): CachedView {
  return cachedView({ metadata: { namespace, name, resourceVersion: String(version), uid: name }, status: {} });
}

/** As the watch does it: the object first, then the place. */
function change(store: WritableStore<CachedView>, object: CachedView, how: "put" | "remove" = "put"): void {
  store[how](object);
  store.advance(object.view.version);
}

async function listed(...objects: readonly CachedView[]): Promise<WritableStore<CachedView>> {
  const store = makeStore<CachedView>(() => undefined);
  await relist(store, objects);
  return store;
}

function relist(store: WritableStore<CachedView>, objects: readonly CachedView[]): Promise<void> {
  const newest = Math.max(...objects.map(({ view }) => Number(view.version)));
  const byKey = new Map(objects.map((one) => [`${one.view.namespace}/${one.view.id}`, one]));
  return store.replaceAll(byKey, String(newest), noPause);
}

function open(store: WritableStore<CachedView>, lastVersion = "") {
  const reader = new Reader();
  const clock = makeManualClock();
  const stop = new AbortController();
  const deps = { hub: makeHub(store), clock, settings: SETTINGS };
  const followed = { namespace: "studio", lastVersion };
  const over = streamNamespace(deps, followed, reader as unknown as ServerResponse, stop.signal);
  /** What was told: the id that stands for it, the event, and which task. */
  const told = (): readonly string[] =>
    reader.taken
      .split("\n\n")
      .filter((block) => block.includes("data: ") && !block.includes("event: tasks"))
      .map((block) => {
        const [id, data] = [/^id: (\d+)$/m.exec(block)?.[1] ?? "-", /^data: (.*)$/m.exec(block)?.[1] ?? ""];
        const { id: name, version = "gone" } = JSON.parse(data) as { readonly id: string; readonly version?: string };
        return `${id} ${name}@${version}`;
      });
  return { reader, clock, stop, over, told };
}

test("the first event names all tasks of the namespace and no other, then each is told, the newest last", async () => {
  const { over, reader, stop, told } = open(await listed(task("b", 7), task("a", 3), task("x", 5, "other")));
  expect(/event: tasks\ndata: (.*)/.exec(reader.taken)?.[1]).toBe(
    '{"namespace":"studio","heartbeatSeconds":1,"ids":["a","b"]}',
  );
  expect(told()).toEqual(["3 a@3", "7 b@7"]);
  stop.abort();
  await over;
});

test.each([
  { when: "who has the newest state", last: "7", then: [] },
  { when: "who was away for one change", last: "3", then: ["7 b@7"] },
  {
    when: "who was ahead of this replica, or of the whole cluster before it was restored",
    last: "9",
    then: ["3 a@3", "7 b@7"],
  },
])("$when is told what he lacks", async ({ last, then }) => {
  const { over, stop, told } = open(await listed(task("a", 3), task("b", 7)), last);
  expect(told()).toEqual(then);
  stop.abort();
  await over;
});

test("each change is told once, a deletion too, and none of another namespace", async () => {
  const store = await listed(task("a", 3));
  const { over, stop, told } = open(store);
  change(store, task("b", 4));
  change(store, task("x", 5, "other"));
  change(store, task("a", 6), "remove");
  expect(told()).toEqual(["3 a@3", "4 b@4", "- a@gone"]);
  stop.abort();
  await over;
});

test("while a reader takes nothing only the newest state of each task waits for him, and ids still rise", async () => {
  const store = await listed(task("a", 1), task("b", 2));
  const { over, reader, stop, told } = open(store);
  reader.isFull = true;
  for (let version = 3; version < 1_000; version += 1) change(store, task(version % 2 === 0 ? "a" : "b", version));
  reader.isFull = false;
  reader.emit("drain");
  expect(told()).toEqual(["1 a@1", "2 b@2", "3 b@3", "998 a@998", "999 b@999"]);
  stop.abort();
  await over;
});

test("what a watch that begins anew has missed carries no id: it is not told in order, and an older one may follow", async () => {
  const store = await listed(task("a", 1), task("b", 2));
  const { over, stop, told } = open(store);
  await relist(store, [task("a", 9), task("b", 5)]);
  change(store, task("b", 10));
  expect(told()).toEqual(["1 a@1", "2 b@2", "- a@9", "- b@5", "10 b@10"]);
  stop.abort();
  await over;
});

test("the end of its time ends the stream, and leaves no timer", async () => {
  const { clock, over, reader } = open(await listed(task("a", 1)));
  await clock.advance(60_000);
  await over;
  expect([reader.closed, clock.pending()]).toEqual([true, 0]);
});
