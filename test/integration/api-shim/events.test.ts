// Event streams: the state now, each newer one, resumption, ends, limits, and that many streams cost the API server nothing.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { request } from "undici";
import { ask, WISH } from "./client.ts";
import { readEvents, type EventReader } from "./event-reader.ts";
import { makeWorld, type RunningShim, type World } from "./fixture.ts";

let world: World;
let shim: RunningShim;
beforeAll(async () => {
  world = await makeWorld();
  shim = await world.start({ HEARTBEAT_SECONDS: "0.2", MAX_STREAMS_PER_NAMESPACE: "60" });
});
afterAll(() => world.close());

const opened: EventReader[] = [];
afterEach(() => {
  for (const reader of opened.splice(0)) reader.close();
});

const token = (): string => world.tokens.tenant;
async function make(key: string): Promise<string> {
  return String((await ask(shim.url, "POST", "/v1/tasks", { token: token(), key, body: WISH })).body.id);
}
async function follow(id: string, lastEventId?: string, at = shim): Promise<EventReader> {
  const reader = await readEvents(`${at.url}/v1/tasks/${id}/events`, token(), lastEventId);
  opened.push(reader);
  return reader;
}

test("the state now comes first, then each newer one, and a final phase ends the stream", async () => {
  const id = await make("followed");
  const reader = await follow(id);
  const first = await reader.until(({ event }) => event === "task");
  expect(first.data).toMatchObject({ id, phase: "Pending" });
  expect(first.id).toBe(first.data.version);

  await world.setStatus(id, { phase: "Polling", progress: 10 });
  const polling = await reader.until(({ data }) => data.phase === "Polling");
  await world.setStatus(id, { phase: "Succeeded", progress: 100 });
  const events = await reader.ended;
  expect(events.map(({ data }) => data.phase)).toEqual(["Pending", "Polling", "Succeeded"]);

  const again = await follow(id, polling.id);
  expect((await again.ended).map(({ data }) => data.phase)).toEqual(["Succeeded"]);
  const over = await follow(id, events.at(-1)?.id);
  expect([over.status, await over.ended]).toEqual([204, []]);
});

test("who has seen the newest state is told nothing until it changes, also by another replica", async () => {
  const other = await world.start({ HEARTBEAT_SECONDS: "0.2" });
  const id = await make("resumed");
  const seen = await (await follow(id)).until(({ event }) => event === "task");
  const reader = await follow(id, seen.id, other);
  await world.setStatus(id, { phase: "Fetching" });
  const next = await reader.until(({ event }) => event === "task");
  expect(next.data.phase).toBe("Fetching");
  expect(reader.text()).not.toContain("Pending");
  expect(await other.stop()).toBe("stopped"); // and ends its streams with it
  await expect(reader.ended).resolves.toHaveLength(1);
});

test("a stream that has nothing to tell beats, and one of a task that goes says so and ends", async () => {
  const id = await make("deleted");
  const reader = await follow(id);
  await reader.until(({ event }) => event === "task");
  await reader.said(": still here");
  await ask(shim.url, "DELETE", `/v1/tasks/${id}`, { token: token() });
  expect((await reader.ended).at(-1)?.event).toBe("deleted");
});

test("sixty streams of one namespace are fed by the one watch, and the next one is refused", async () => {
  const id = await make("many");
  const before = await callsToTheApiServer();
  const readers = await Promise.all(Array.from({ length: 60 }, () => follow(id)));
  await Promise.all(readers.map((reader) => reader.until(({ event }) => event === "task")));
  const refused = await ask(shim.url, "GET", `/v1/tasks/${id}/events`, { token: token() });
  expect([refused.status, refused.body.code, refused.headers["retry-after"]]).toEqual([429, "too-many-streams", "10"]);

  await world.setStatus(id, { phase: "Polling" });
  await Promise.all(readers.map((reader) => reader.until(({ data }) => data.phase === "Polling")));
  // The door may have asked anew what it had forgotten; nothing was asked for a stream.
  expect((await callsToTheApiServer()) - before).toBeLessThan(10);
  expect(await metric("genop_rest_streams")).toBe(60);
});

async function metric(name: string): Promise<number> {
  const text = await scrape();
  return Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]);
}

async function callsToTheApiServer(): Promise<number> {
  const counts = [...(await scrape()).matchAll(/^rest_client_requests_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

async function scrape(): Promise<string> {
  const port = shim.lines.find(({ event }) => event === "health.listening")?.fields.port;
  return (await request(`http://127.0.0.1:${String(port)}/metrics`)).body.text();
}

test("a client that goes away takes its stream with it, and not the task", async () => {
  const id = await make("left");
  const reader = await follow(id);
  await reader.until(({ event }) => event === "task");
  const open = await metric("genop_rest_streams");
  reader.close();
  while ((await metric("genop_rest_streams")) >= open) await new Promise((resolve) => setImmediate(resolve));
  const { body } = await ask(shim.url, "GET", `/v1/tasks/${id}`, { token: token() });
  expect(body).toMatchObject({ cancelRequested: false, deleting: false });
});
