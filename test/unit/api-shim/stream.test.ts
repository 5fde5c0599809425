// A stream to a reader who is slow, gone, or behind: nothing is queued, and nobody is waited for without end.
import type { ServerResponse } from "node:http";
import { expect, test } from "@jest/globals";
import type { Hub, Listener } from "../../../api-shim/events/hub.ts";
import { streamTask } from "../../../api-shim/events/stream.ts";
import type { TaskView } from "../../../api-shim/tasks/view.ts";
import { makeManualClock } from "../runtime/manual-clock.ts";
import { Reader, view } from "./reader.ts";

function open(
  lastVersion = "",
  first = view(1),
  { reader = new Reader(), seen = undefined as TaskView | undefined } = {},
) {
  const clock = makeManualClock();
  const stop = new AbortController();
  const listeners = new Set<Listener>();
  const hub: Hub = {
    seen: () => seen,
    all: () => [],
    followAll: () => () => undefined,
    follow: (_key, listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const settings = { heartbeatMs: 1_000, lifetimeMs: 60_000, stallMs: 5_000 };
  const over = streamTask(
    { hub, clock, settings },
    { key: "studio/a", first, lastVersion },
    reader as unknown as ServerResponse,
    stop.signal,
  );
  const tell = (told: TaskView | undefined): void => listeners.forEach((listener) => listener(told));
  const versions = (): string[] => [...reader.taken.matchAll(/^id: (\d+)$/gm)].map(([, version = ""]) => version);
  return { reader, clock, stop, over, tell, versions, listeners };
}

test("while a reader takes nothing only the newest state waits for him", async () => {
  const { over, reader, stop, tell, versions } = open();
  reader.isFull = true;
  for (let version = 2; version < 1_000; version += 1) tell(view(version));
  expect(versions()).toEqual(["1", "2"]);
  reader.isFull = false;
  reader.emit("drain");
  expect(versions()).toEqual(["1", "2", "999"]);
  stop.abort();
  await over;
});

test("a reader who takes nothing for too long is cut off, and forgotten", async () => {
  const { clock, listeners, over, reader, tell } = open();
  reader.isFull = true;
  tell(view(2));
  await clock.advance(5_000);
  await over;
  expect([reader.closed, listeners.size, clock.pending()]).toEqual([true, 0, 0]);
});

test("what is older than what the client has, or was told, is not told", async () => {
  const { over, stop, tell, versions } = open("5", view(4));
  tell(view(5));
  tell(view(9));
  tell(view(10));
  tell(view(9));
  expect(versions()).toEqual(["9", "10"]);
  stop.abort();
  await over;
});

interface End {
  readonly what: string;
  readonly end: (stream: ReturnType<typeof open>) => void;
  readonly last: RegExp;
}

const ENDS: readonly End[] = [
  { what: "a final phase", end: ({ tell }) => tell(view(2, "Failed")), last: /"phase":"Failed"/ },
  { what: "the task's deletion", end: ({ tell }) => tell(undefined), last: /event: deleted/ },
  { what: "the end of the process", end: ({ stop }) => stop.abort(), last: /id: 1/ },
  { what: "the end of its time", end: ({ clock }) => void clock.advance(60_000), last: /still here/ },
  { what: "the client going away", end: ({ reader }) => reader.destroy(), last: /id: 1/ },
];

test.each(ENDS)("$what ends the stream, and leaves no timer and no listener", async ({ end, last }) => {
  const stream = open();
  end(stream);
  await stream.over;
  expect(stream.reader.taken).toMatch(last);
  expect([stream.reader.closed, stream.listeners.size, stream.clock.pending()]).toEqual([true, 0, 0]);
});

test("a silent stream beats, and a blocked one does not", async () => {
  const { clock, over, reader, stop, tell } = open();
  await clock.advance(3_000);
  expect(reader.taken.match(/: still here/g)).toHaveLength(3);
  reader.isFull = true;
  tell(view(2));
  await clock.advance(2_000);
  expect(reader.taken.match(/: still here/g)).toHaveLength(3);
  stop.abort();
  await over;
});

test("who left while being let in is over at once, and forgotten", async () => {
  const reader = new Reader();
  reader.destroy();
  const { clock, listeners, over } = open("", view(1), { reader });
  await over;
  expect([listeners.size, clock.pending()]).toEqual([0, 0]);
});

test("what the watch told while the first state was read is told, and an end among it ends the stream", async () => {
  const { over, reader, versions } = open("", view(1), { seen: view(2, "Rejected") });
  await over;
  expect([versions(), reader.closed]).toEqual([["1", "2"], true]);
});
