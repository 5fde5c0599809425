// The reflector in good times: lists streamed or paged, changes told in order, others' faults contained.
import { expect, test } from "@jest/globals";
import type { KubeObject } from "../../../operator/runtime/objects.ts";
import { bookmark, event, follow, isStreamedList, page, streamed, thing } from "./followed.ts";
import { failure, lines, type Answer } from "./scripted-server.ts";

test("a list that the server streams becomes whole at once, then follows", async () => {
  const { reflector, asked, changes, told } = await follow([streamed]);
  await told(3);
  expect(changes).toEqual(["ns/a -→1 initial", "ns/b -→2 initial", "ns/a 1→6"]);
  expect(reflector.hasSynced()).toBe(true);
  expect(reflector.seen()).toEqual({ resourceVersion: "6", history: 0 });
  expect(reflector.get("ns/a")?.metadata).not.toHaveProperty("managedFields");
  expect([...(asked[0]?.query ?? [])].map(([name]) => name).sort()).toEqual(
    ["allowWatchBookmarks", "resourceVersionMatch", "sendInitialEvents", "timeoutSeconds", "watch"].sort(),
  );
});

test("nothing is told before the initial events have ended, and a list that was cut is begun again", async () => {
  const cut = lines([event("ADDED", thing("x", 1))], { end: true });
  const { changes, told } = await follow([cut, streamed]);
  await told(3);
  expect(changes).toEqual(["ns/a -→1 initial", "ns/b -→2 initial", "ns/a 1→6"]);
});

test("a server that cannot stream a list is read page by page, without a wait", async () => {
  const answers = [
    failure(422, "Invalid"),
    page(7, [thing("a", 1)], "more"),
    page(7, [thing("b", 2)]),
    lines([bookmark(9)]),
  ];
  const { reflector, asked, asking, told } = await follow(answers);
  await told(2);
  await asking(4);
  expect(asked.map(isStreamedList)).toEqual([true, false, false, false]);
  expect(asked[1]?.query.get("limit")).toBe("500");
  expect(asked[2]?.query.get("continue")).toBe("more");
  expect(asked[3]?.query.get("resourceVersion")).toBe("7");
  expect(reflector.size()).toBe(2);
});

test("a handler that throws, and a transform that throws, hurt nobody else", async () => {
  const events: string[] = [];
  const transform = (object: KubeObject): KubeObject => {
    if (object.metadata.name === "b") throw new Error("transform");
    return object;
  };
  const { reflector, told } = await follow([streamed], { transform, log: (_, name) => void events.push(name) });
  reflector.onChange(() => {
    throw new Error("handler");
  });
  await told(3);
  expect(reflector.size()).toBe(2);
  expect(events).toContain("watch.transform-failed");
  expect(events).toContain("watch.handler-failed");
});

test("a handler that comes late is told what is there", async () => {
  const { reflector, told } = await follow([streamed]);
  await told(3);
  const seen: string[] = [];
  reflector.onChange((key, _, previous, { initial }) => void seen.push(`${key} ${previous === undefined} ${initial}`));
  expect(seen).toEqual(["ns/a true true", "ns/b true true"]);
});

test("a hundred thousand objects never hold the event loop", async () => {
  const count = 100_000;
  const big: Answer = (response) => {
    response.writeHead(200);
    const chunk = (from: number): string =>
      Array.from({ length: 1_000 }, (_, at) => `${JSON.stringify(event("ADDED", thing(`t${from + at}`, 1)))}\n`).join(
        "",
      );
    const write = (from: number): void => {
      if (from >= count) response.write(`${JSON.stringify(bookmark(5, true))}\n`);
      else response.write(chunk(from), () => write(from + 1_000));
    };
    write(0);
  };
  const { reflector, told } = await follow([big]);
  // What a controller does with a change: dear enough that telling it all in one piece is most of the work.
  reflector.onChange((_, object) => void structuredClone(object));
  // The thread's own CPU time: what other processes take of a shared machine is no stall of ours.
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const beganMs = cpuMs();
  let longestMs = 0;
  let turns = 0;
  let lastMs = beganMs;
  const measure = (): void => {
    longestMs = Math.max(longestMs, cpuMs() - lastMs);
    lastMs = cpuMs();
    turns += 1;
  };
  const meter = setInterval(measure, 1);
  await told(count);
  measure(); // the turn in which the last one was told
  clearInterval(meter);
  expect(reflector.size()).toBe(count);
  // In proportion, for machines differ: told in one piece, it is three tenths of the time.
  expect(longestMs).toBeLessThan((cpuMs() - beganMs) / 5);
  expect(turns).toBeGreaterThan(50);
}, 60_000);
