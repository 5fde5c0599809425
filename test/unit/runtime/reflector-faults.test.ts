// The reflector against each known trick of API servers, proxies and databases.
import { describe, expect, test } from "@jest/globals";
import { bookmark, event, follow, isStreamedList, isWatch, page, streamed, thing } from "./followed.ts";
import { failure, hangUp, lines } from "./scripted-server.ts";

describe("after a watch has ended", () => {
  const initial = lines(
    [event("ADDED", thing("a", 1)), event("ADDED", thing("b", 2)), bookmark(5, true), bookmark(8)],
    { end: true },
  );

  test("in order, the next one continues from the last bookmark", async () => {
    const { asked, changes, told } = await follow([initial, lines([event("DELETED", thing("b", 9))])]);
    await told(3);
    expect(asked[1]?.query.get("resourceVersion")).toBe("8");
    expect(changes.at(-1)).toBe("ns/b 9→-");
  });

  test.each([
    { by: "a cut connection", cut: hangUp },
    { by: "an error inside the stream", cut: lines([event("ERROR", { code: 500, reason: "InternalError" })]) },
    { by: "an overloaded server", cut: failure(429, "TooManyRequests") },
    { by: "a refusal that may be temporary", cut: failure(403, "Forbidden") },
  ])("by $by, history is checked and the watch continues", async ({ cut }) => {
    const { asked, told } = await follow([initial, cut, page(20, []), lines([event("MODIFIED", thing("a", 9))])]);
    await told(3);
    expect(asked[2]?.query.get("limit")).toBe("1");
    expect(asked[3]?.query.get("resourceVersion")).toBe("8");
  });

  const restored = lines([event("ADDED", thing("a", 1)), event("ADDED", thing("c", 3)), bookmark(4, true)]);
  test.each([
    { by: "410 as an answer", after: [failure(410, "Expired")], history: 1 },
    { by: "410 inside the stream", after: [lines([event("ERROR", { code: 410, reason: "Expired" })])], history: 1 },
    {
      by: "a version that the server does not know yet",
      after: [failure(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] })],
      history: 1,
    },
    { by: "an event older than the last", after: [lines([event("MODIFIED", thing("b", 3))])], history: 1 },
    { by: "a cut, and a server whose history went back", after: [hangUp, page(4, [])], history: 1 },
  ])("by $by, everything is read again and the differences are told", async ({ after, history }) => {
    const { reflector, asked, changes, told } = await follow([initial, ...after, restored]);
    await told(5);
    expect(asked.map(isStreamedList)).toEqual([true, ...after.map(() => false), true]);
    expect(changes.slice(2)).toEqual(["ns/b 2→-", "ns/a 1→1", "ns/c -→3"]);
    expect([...reflector.keys()]).toEqual(["ns/a", "ns/c"]);
    expect(reflector.seen().history).toBe(history);
  });

  test("an object that was replaced meanwhile is told as gone and new", async () => {
    const after = lines([event("ADDED", thing("a", 11, "other")), event("ADDED", thing("b", 2)), bookmark(12, true)]);
    const { changes, told } = await follow([initial, failure(410, "Expired"), after]);
    await told(4);
    expect(changes.slice(2)).toEqual(["ns/a 1→-", "ns/a -→11"]);
  });
});

test("a silent watch is given up, bookmarks keep it", async () => {
  const settings = { idleMs: 1_000 };
  const { asked, asking } = await follow([streamed, page(9, []), streamed], { settings });
  await asking(3);
  expect(asked.map(isWatch)).toEqual([true, false, true]);
});

test("a server that ends each watch at once is not asked in a spin", async () => {
  const waits: number[] = [];
  const log = (_: unknown, name: string, fields?: Readonly<Record<string, unknown>>): void => {
    if (name === "watch.restarted") waits.push(fields?.waitMs as number);
  };
  const empty = lines([], { end: true });
  const initial = lines([bookmark(5, true)], { end: true });
  const { asking } = await follow([initial, empty, page(5, []), empty, page(5, []), empty, page(5, []), streamed], {
    log,
  });
  await asking(6);
  expect(waits.slice(0, 2)).toEqual([800, 1600]);
});

test("a list that outlives its version is begun again with larger pages", async () => {
  const expired = failure(410, "Expired");
  const settings = { watchList: "never" } as const;
  const { asked, told } = await follow(
    [page(5, [thing("a", 1)], "more"), expired, page(9, [thing("a", 1)]), lines([])],
    { settings },
  );
  await told(1);
  expect(asked.slice(0, 3).map(({ query }) => query.get("limit"))).toEqual(["500", "500", "2000"]);
});
