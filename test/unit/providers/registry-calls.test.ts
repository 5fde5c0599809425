import { describe, expect, test } from "@jest/globals";
import { acceptedAttempt, SPEC, submitRequestOf } from "./spec.ts";
import { api, BROKEN, never, registry, SECRET } from "./registry-test.ts";

describe("a credential", () => {
  test("that is rotated counts from the next call on, over the same connections", async () => {
    const { url, seen } = await api();
    const providers = registry();
    providers.put("acme", { ...SPEC, baseURL: url }, "first");
    const client = providers.client("acme");
    await client?.query(acceptedAttempt(), never);
    providers.put("acme", { ...SPEC, baseURL: url }, "second\n");
    await client?.query(acceptedAttempt(), never);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer first", "Bearer second"]);
  });

  test("of another Secret never goes to the last good spec's origin", async () => {
    const { url, seen } = await api();
    const providers = registry();
    providers.put("acme", { ...SPEC, baseURL: url }, "first");
    const credentials = { secretRef: { name: "other", key: "token" }, prefix: "Bearer " };
    providers.put("acme", { ...BROKEN, baseURL: "http://127.0.0.1:9/v1", credentials }, "second");
    await providers.client("acme")?.query(acceptedAttempt(), never);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer first"]);
  });

  test("is for outputs of the API's own origin only where the provider asks for it", () => {
    const providers = registry();
    const outputs = { hosts: ["cdn.example"], auth: "SameOrigin" };
    providers.put("acme", { ...SPEC, outputs }, SECRET);
    expect(providers.outputAccess("acme")).toEqual({
      allowPrivateAddresses: true,
      connectMs: 5_000,
      rules: { allowPlainHttp: true, hosts: ["cdn.example", "127.0.0.1:9"] },
      credential: { origin: "http://127.0.0.1:9", headers: { authorization: `Bearer ${SECRET}` } },
    });
    providers.put("acme", { ...SPEC, baseURL: "https://api.example" }, SECRET);
    expect(providers.outputAccess("acme")).toMatchObject({
      rules: { hosts: ["api.example:443"] },
      credential: undefined,
    });
    expect(providers.outputAccess("nobody")).toBeUndefined();
  });
});

describe("a provider that is replaced or removed", () => {
  test.each(["replaced", "removed"])("and is %s lets the call under way come to its end", async (how) => {
    const server = await api();
    let answer = (): void => undefined;
    server.hold = new Promise((resolve) => {
      answer = resolve;
    });
    const providers = registry();
    providers.put("acme", { ...SPEC, baseURL: server.url }, SECRET);
    const query = providers.client("acme")?.query(acceptedAttempt(), never);
    while (server.seen.length === 0) await new Promise(setImmediate);

    if (how === "removed") providers.remove("acme");
    else providers.put("acme", { ...SPEC, baseURL: "http://127.0.0.1:9/v1" }, SECRET);
    const closing = providers.close();
    answer();
    expect(await query).toMatchObject({ outcome: "job", state: "running" });
    await closing;
  });
});

describe("being locked out", () => {
  test("is remembered from the first refusal, until a call goes through", async () => {
    const server = await api();
    const times = ["2026-11-30T12:00:00Z", "2026-11-30T13:00:00Z", "2026-11-30T14:00:00Z"];
    const providers = registry({ now: () => new Date(times[server.seen.length - 1] ?? "") });
    providers.put("acme", { ...SPEC, baseURL: server.url }, SECRET);
    const client = providers.client("acme");
    expect(providers.lockedOut("acme")).toBeUndefined();

    server.status = 401;
    await client?.query(acceptedAttempt(), never);
    await client?.submit(submitRequestOf(), never);
    expect(providers.lockedOut("acme")).toEqual({ code: "status-401", since: new Date(times[0] ?? "") });

    server.status = 200;
    await client?.query(acceptedAttempt(), never);
    expect(providers.lockedOut("acme")).toBeUndefined();
  });

  test("for want of money is not disproved by a query, but by a submit", async () => {
    const server = await api();
    const providers = registry();
    providers.put("acme", { ...SPEC, baseURL: server.url }, SECRET);
    const client = providers.client("acme");
    server.status = 402;
    await client?.submit(submitRequestOf(), never);
    server.status = 200;
    await client?.query(acceptedAttempt(), never);
    expect(providers.lockedOut("acme")).toMatchObject({ code: "status-402" });
    await client?.submit(submitRequestOf(), never);
    expect(providers.lockedOut("acme")).toBeUndefined();
  });

  test("is forgotten with another credential", async () => {
    const server = await api();
    const providers = registry();
    providers.put("acme", { ...SPEC, baseURL: server.url }, SECRET);
    server.status = 401;
    await providers.client("acme")?.query(acceptedAttempt(), never);
    providers.put("acme", { ...SPEC, baseURL: server.url }, SECRET);
    expect(providers.lockedOut("acme")).toBeDefined();
    providers.put("acme", { ...SPEC, baseURL: server.url }, "another");
    expect(providers.lockedOut("acme")).toBeUndefined();
  });
});

test("no more calls run at once than the quota says, as it says it now", async () => {
  const server = await api();
  let query = 2;
  let answer = (): void => undefined;
  server.hold = new Promise((resolve) => {
    answer = resolve;
  });
  const providers = registry({ concurrency: () => ({ submit: undefined, query }) });
  providers.put("acme", { ...SPEC, baseURL: server.url }, SECRET);
  const client = providers.client("acme");
  if (!client) throw new Error("no client");
  const calls = Array.from({ length: 5 }, () => client.query(acceptedAttempt(), never));
  while (server.seen.length < 2) await new Promise(setImmediate);
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  expect(server.seen).toHaveLength(2);

  query = 5;
  answer();
  await Promise.all(calls);
  expect(server.seen).toHaveLength(5);
});
