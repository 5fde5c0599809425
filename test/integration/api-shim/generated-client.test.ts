// A client that others would generate from the document: its types are current, compile, and mean what is answered.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import createClient from "openapi-fetch";
import { request } from "undici";
import { makeWorld, type RunningShim, type World } from "./fixture.ts";
import { typesOf } from "./generate-client.ts";
import type { paths } from "./openapi-types.ts";

let world: World;
let shim: RunningShim;
beforeAll(async () => {
  world = await makeWorld();
  shim = await world.start();
});
afterAll(() => world.close());

test("the checked-in types are those of the running document", async () => {
  const document = await (await request(`${shim.url}/openapi.json`)).body.text();
  expect(await readFile(join(import.meta.dirname, "openapi-types.ts"), "utf8")).toBe(await typesOf(document));
});

test("a task is made, read, listed and cancelled through it", async () => {
  const client = createClient<paths>({
    baseUrl: shim.url,
    headers: { authorization: `Bearer ${world.tokens.tenant}` },
  });
  const made = await client.POST("/v1/tasks", {
    params: { header: { "idempotency-key": "generated" } },
    body: { providerRef: { name: "simulated" }, model: "sim-image", input: { prompt: "a quiet harbour" } },
  });
  const id = made.data?.id ?? "";
  expect([made.response.status, made.data?.phase]).toEqual([202, "Pending"]);
  const read = await client.GET("/v1/tasks/{id}", { params: { path: { id } } });
  expect(read.data).toEqual(made.data);
  const list = await client.GET("/v1/tasks", { params: { query: { limit: 5 } } });
  expect(list.data?.tasks.map((task) => task.id)).toEqual([id]);
  const cancelled = await client.POST("/v1/tasks/{id}/cancel", { params: { path: { id } } });
  expect(cancelled.data?.cancelRequested).toBe(true);
  const absent = await client.GET("/v1/tasks/{id}", { params: { path: { id: "absent" } } });
  expect(absent.error?.code).toBe("not-found");
});
