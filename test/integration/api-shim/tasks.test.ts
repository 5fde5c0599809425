// The life of a task through the shim: made, read, listed, changed, deleted; as the API server has it.
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ask, WISH } from "./client.ts";
import { limit, makeWorld, type RunningShim, type World } from "./fixture.ts";

let world: World;
let shim: RunningShim;
beforeAll(async () => {
  world = await makeWorld();
  shim = await world.start();
});
afterAll(() => world.close());

const token = (): string => world.tokens.tenant;

test("a task is accepted with its id and where to read it, and is the object that kubectl would have made", async () => {
  const made = await ask(shim.url, "POST", "/v1/tasks", { token: token(), key: "first", body: WISH });
  expect(made.status).toBe(202);
  const id = String(made.body.id);
  expect(made.headers.location).toBe(`/v1/tasks/${id}`);
  expect(made.body).toMatchObject({ namespace: world.tenant, phase: "Pending", idempotencyKey: "first" });

  const object = await world.tasks.get(`${world.tenant}/${id}`, { signal: limit() });
  expect(object?.spec).toMatchObject({ ...WISH, idempotencyKey: "first", unknownPolicy: "Hold" });

  const read = await ask(shim.url, "GET", `/v1/tasks/${id}`, { token: token() });
  expect(read.body).toEqual(made.body);
  expect(JSON.stringify(read.body)).not.toContain("harbour");
});

test("what the operator reports is what is read", async () => {
  const made = await ask(shim.url, "POST", "/v1/tasks", { token: token(), key: "reported", body: WISH });
  const id = String(made.body.id);
  await world.setStatus(id, {
    ...{ phase: "Polling", reason: "JobRunning", message: "the job runs", attempt: 1, progress: 40 },
    credits: { reserved: "0.5", settled: "0", released: "0" },
  });
  const read = await ask(shim.url, "GET", `/v1/tasks/${id}`, { token: token() });
  expect(read.body).toMatchObject({ phase: "Polling", attempt: 1, progress: 40, reason: "JobRunning" });
});

test("a list is told page by page, and by phase", async () => {
  const keys = ["page-1", "page-2", "page-3"];
  for (const key of keys) await ask(shim.url, "POST", "/v1/tasks", { token: token(), key, body: WISH });
  const ids: string[] = [];
  let pageToken: string | undefined;
  do {
    const query: string = pageToken === undefined ? "" : `&pageToken=${encodeURIComponent(pageToken)}`;
    const page = await ask(shim.url, "GET", `/v1/tasks?limit=2${query}`, { token: token() });
    const tasks = page.body.tasks as readonly { readonly id: string }[];
    expect(tasks.length).toBeLessThanOrEqual(2);
    ids.push(...tasks.map(({ id }) => id));
    pageToken = page.body.nextPageToken as string | undefined;
  } while (pageToken !== undefined);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThanOrEqual(keys.length);

  const polling = await ask(shim.url, "GET", "/v1/tasks?phase=Polling", { token: token() });
  expect((polling.body.tasks as readonly { phase: string }[]).map(({ phase }) => phase)).toEqual(["Polling"]);
});

test("cancel, suspend and resume write what the operator acts on, and delete removes the object", async () => {
  const made = await ask(shim.url, "POST", "/v1/tasks", { token: token(), key: "changing", body: WISH });
  const path = `/v1/tasks/${String(made.body.id)}`;
  const suspended = await ask(shim.url, "POST", `${path}/suspend`, { token: token() });
  expect([suspended.status, suspended.body.suspend]).toEqual([202, true]);
  const resumed = await ask(shim.url, "POST", `${path}/resume`, { token: token() });
  expect([resumed.status, resumed.body.suspend]).toEqual([202, false]);
  const cancelled = await ask(shim.url, "POST", `${path}/cancel`, { token: token() });
  expect([cancelled.status, cancelled.body.cancelRequested]).toEqual([202, true]);
  expect((await ask(shim.url, "DELETE", path, { token: token() })).status).toBe(202);
  expect((await ask(shim.url, "GET", path, { token: token() })).status).toBe(404);
  expect((await ask(shim.url, "DELETE", path, { token: token() })).status).toBe(404);
});

describe("what is refused names the field and the way out", () => {
  const withoutModel = { providerRef: WISH.providerRef, input: WISH.input };
  test.each([
    { what: "no key", asked: { body: WISH }, status: 400, code: "idempotency-key-missing" },
    { what: "a key with a space", asked: { key: "a b", body: WISH }, status: 400, code: "invalid-request" },
    { what: "no body", asked: { key: "k" }, status: 422, code: "invalid-body" },
    { what: "no model", asked: { key: "k", body: withoutModel }, status: 422, code: "invalid-body" },
    {
      what: "a key in the body",
      asked: { key: "k", body: { ...WISH, idempotencyKey: "x" } },
      status: 422,
      code: "invalid-body",
    },
    { what: "broken JSON", asked: { key: "k", body: '{"a":' }, status: 400, code: "invalid-json" },
    {
      what: "another type",
      asked: { key: "k", body: WISH, headers: { "content-type": "text/plain" } },
      status: 415,
      code: "unsupported-media-type",
    },
  ])("$what", async ({ asked, code, status }) => {
    const answer = await ask(shim.url, "POST", "/v1/tasks", { token: token(), ...asked });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(answer.body.detail).toMatch(/^cannot /);
  });

  test.each([
    { path: "/v1/nothing", method: "GET", status: 404 },
    { path: "/v1/tasks/UPPER", method: "GET", status: 400 },
    { path: "/v1/tasks?limit=0", method: "GET", status: 400 },
    { path: "/v1/tasks?colour=red", method: "GET", status: 400 },
    { path: "/v1/tasks/%zz", method: "GET", status: 400 },
    { path: "/v1/tasks", method: "DELETE", status: 405 },
  ] as const)("$method $path", async ({ method, path, status }) => {
    const answer = await ask(shim.url, method, path, { token: token() });
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
  });
});

test("nothing that was sent is in the log: no input, key, query, field of a body that is refused, and no token", async () => {
  const wish = (input: object) => ({ ...WISH, input });
  await ask(shim.url, "POST", "/v1/tasks", {
    token: token(),
    key: "secret-key",
    body: wish({ prompt: "secret-prompt" }),
  });
  await ask(shim.url, "POST", "/v1/tasks", { token: token(), key: "secret-other", body: { "secret-field": 1 } });
  await ask(shim.url, "POST", "/v1/tasks", { token: token(), key: "secret-broken", body: '{"secret-json' });
  await ask(shim.url, "GET", "/v1/tasks?pageToken=secret-query", { token: token() });
  await ask(shim.url, "GET", "/v1/tasks/secret-id", { token: "secret.token" });
  const logged = inspect(shim.lines, { depth: 20, maxArrayLength: null, maxStringLength: null });
  expect(shim.lines.filter(({ event }) => event === "request.ended").length).toBeGreaterThan(5);
  expect(logged).not.toContain("secret");
  expect(logged).not.toContain(token());
});
