// What the web page stands on: its files, the stream of a namespace, providers, history, links.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { request } from "undici";
import { applyObjects } from "../../operator/installation.ts";
import { providerObjects } from "../../operator/tenancy.ts";
import { ask, WISH, type Answer } from "./client.ts";
import { readEvents, type EventReader } from "./event-reader.ts";
import { limit, makeWorld, type RunningShim, type World } from "./fixture.ts";

let world: World;
let shim: RunningShim;
beforeAll(async () => {
  world = await makeWorld();
  shim = await world.start();
});
afterAll(async () => {
  const path = "/apis/genop.dev/v1alpha1/generationproviders";
  for (const name of ["open", "named", "chosen", "closed"].map(providerName)) {
    await world.admin
      .request({ method: "DELETE", path: `${path}/${name}` }, { signal: limit() })
      .catch(() => undefined);
  }
  await world.close();
});

const token = (): string => world.tokens.tenant;
const get = (path: string, by = token()): Promise<Answer> => ask(shim.url, "GET", path, { token: by });
async function make(key: string): Promise<string> {
  return String((await ask(shim.url, "POST", "/v1/tasks", { token: token(), key, body: WISH })).body.id);
}

describe("the files", () => {
  const file = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    request(`${shim.url}${path}`, { headers, signal: limit() });

  test("are for everybody, are revalidated, and name nothing that lies elsewhere", async () => {
    const answer = await file("/");
    const text = await answer.body.text();
    const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(5);
    for (const path of named.filter((one) => !one.startsWith("#"))) {
      const { body, headers, statusCode } = await file(`/${path}`);
      expect([path, statusCode, headers["x-content-type-options"]]).toEqual([path, 200, "nosniff"]);
      expect(await body.text()).not.toMatch(/https?:\/\/(?!www\.w3\.org\/2000\/svg)[a-z]/);
    }
    expect(answer.headers["cache-control"]).toBe("no-cache");
    const again = await file("/", { "if-none-match": String(answer.headers.etag) });
    expect([again.statusCode, await again.body.text()]).toEqual([304, ""]);
    expect((await file("/page/tsconfig.json")).statusCode).toBe(404);
  });

  test("may load from here alone, and media from the object store: a looser policy is a change of this test", async () => {
    const { body, headers } = await file("/");
    await body.dump();
    const { origin } = new URL(world.environment.s3.endpoint);
    expect(String(headers["content-security-policy"]).split("; ")).toEqual([
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
      ...[`img-src 'self' ${origin}`, `media-src ${origin}`],
      ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
      ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
    ]);
  });
});

describe("the stream of a namespace", () => {
  const opened: EventReader[] = [];
  afterAll(() => opened.forEach((reader) => reader.close()));
  async function follow(lastEventId?: string, at = shim): Promise<EventReader> {
    const reader = await readEvents(`${at.url}/v1/events`, token(), lastEventId);
    opened.push(reader);
    return reader;
  }

  test("tells what is there, then each change and each end; another replica goes on where it ended", async () => {
    const other = await world.start();
    const [one, two] = [await make("one"), await make("two")];
    const reader = await follow();
    const there = await reader.until(({ event }) => event === "tasks");
    expect(there.data).toMatchObject({ namespace: world.tenant });
    await reader.until(({ data }) => data.id === two && data.phase === "Pending");
    await world.setStatus(one, { phase: "Polling", progress: 10 });
    const last = await reader.until(({ data }) => data.id === one && data.phase === "Polling");
    reader.close();

    await ask(shim.url, "DELETE", `/v1/tasks/${two}`, { token: token() });
    const three = await make("three");
    const again = await follow(last.id, other);
    await again.until(({ data }) => data.id === three);
    const [first] = (await again.until(({ event }) => event === "tasks")).data.ids as readonly string[];
    expect([first, again.text().includes(two), again.text().includes('"progress":10')]).toEqual([
      expect.any(String),
      false,
      false,
    ]);
    await ask(shim.url, "DELETE", `/v1/tasks/${three}`, { token: token() });
    await again.until(({ data, event }) => event === "deleted" && data.id === three);
    expect(await other.stop()).toBe("stopped");
  });

  test("has nothing of another namespace, and is closed to who may not watch it", async () => {
    const id = await make("private");
    const stranger = await readEvents(`${shim.url}/v1/events`, world.tokens.stranger);
    opened.push(stranger);
    await stranger.until(({ event }) => event === "tasks");
    await world.setStatus(id, { phase: "Polling" });
    const own = await follow();
    await own.until(({ data }) => data.id === id && data.phase === "Polling");
    expect(stranger.text()).not.toContain(id);
    const elsewhere = { "x-genop-namespace": world.tenant };
    const { status } = await ask(shim.url, "GET", "/v1/events", { token: world.tokens.stranger, headers: elsewhere });
    expect(status).toBe(403);
  });
});

const providerName = (what: string): string => `${what}-${world.home}`;

test("a namespace is told of the providers that serve it, how they are and what they cost, and of nothing else", async () => {
  const label = { "genop.dev/tenant": world.home };
  const variants = [
    { name: providerName("open") },
    { name: providerName("named"), spec: { allowedNamespaces: { from: "Names", names: [world.tenant] } } },
    {
      name: providerName("chosen"),
      spec: { allowedNamespaces: { from: "Selector", selector: { matchLabels: label } } },
    },
    { name: providerName("closed"), spec: { allowedNamespaces: { from: "Names", names: ["elsewhere"] } } },
  ];
  await applyObjects(world.environment, await providerObjects(world.environment, variants, world.home));
  await applyObjects(world.environment, [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: world.tenant, labels: label } },
  ]);
  const condition = { type: "Ready", status: "True", reason: "ProviderReady", message: "the provider is in use" };
  const status = { inFlight: 3, conditions: [{ ...condition, lastTransitionTime: "2026-12-01T12:00:00Z" }] };
  const path = `/apis/genop.dev/v1alpha1/generationproviders/${providerName("open")}/status`;
  const patch = { method: "PATCH", path, body: { status }, contentType: "application/merge-patch+json" } as const;
  await world.admin.request(patch, { signal: limit() });

  const told = async (by: string): Promise<readonly { readonly name: string }[]> => {
    const { providers } = (await get("/v1/providers", by)).body as {
      readonly providers?: readonly { readonly name: string }[];
    };
    return providers?.filter(({ name }) => name.endsWith(world.home)) ?? [];
  };
  const own = await told(token());
  expect(own.map(({ name }) => name)).toEqual(["chosen", "named", "open"].map(providerName));
  expect((await told(world.tokens.stranger)).map(({ name }) => name)).toEqual([providerName("open")]);
  expect(own.at(-1)).toMatchObject({
    ...{ ready: true, inFlight: 3, conditions: [{ ...condition, since: "2026-12-01T12:00:00Z" }] },
    models: expect.arrayContaining([{ name: "sim-video", price: { perRequest: "0.10" } }]),
  });
  expect(JSON.stringify(own)).not.toMatch(/baseURL|secretRef|127\.0\.0\.1/);
});

test("the history of a task has what the operator told of just this object, oldest first", async () => {
  const id = await make("history");
  const { metadata } = (await world.tasks.get(`${world.tenant}/${id}`, { signal: limit() })) ?? {
    metadata: { uid: "" },
  };
  const told = (name: string, eventTime: string, more: object = {}) => ({
    ...{ apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name, namespace: world.tenant }, eventTime },
    ...{ type: "Normal", action: "Submit", reason: name, note: `note of ${name}` },
    ...{ reportingController: "genop.dev/operator", reportingInstance: "test" },
    regarding: {
      apiVersion: "genop.dev/v1alpha1",
      kind: "GenerationTask",
      namespace: world.tenant,
      name: id,
      uid: metadata.uid,
    },
    ...more,
  });
  const times = ["2026-12-01T12:00:02.000000Z", "2026-12-01T12:00:01.000000Z"] as const;
  const series = { series: { count: 4, lastObservedTime: "2026-12-01T12:00:09.000000Z" } };
  const events = [
    told("later", times[0], series),
    told("first", times[1]),
    told("forged", times[0], { reportingController: "somebody" }),
    told("former", times[0], {
      regarding: { kind: "GenerationTask", namespace: world.tenant, name: id, uid: "another" },
    }),
  ];
  const path = `/apis/events.k8s.io/v1/namespaces/${world.tenant}/events`;
  for (const body of events) await world.admin.request({ method: "POST", path, body }, { signal: limit() });

  const { body, status } = await get(`/v1/tasks/${id}/history`, world.tokens.reader);
  expect([status, body.events]).toEqual([
    200,
    [
      { type: "Normal", reason: "first", note: "note of first", firstTime: times[1], lastTime: times[1], count: 1 },
      {
        type: "Normal",
        reason: "later",
        note: "note of later",
        firstTime: times[0],
        lastTime: series.series.lastObservedTime,
        count: 4,
      },
    ],
  ]);
});

test("the account lists the grants that are there, booked or not", async () => {
  const grant = {
    apiVersion: "genop.dev/v1alpha1",
    kind: "CreditGrant",
    metadata: { namespace: world.tenant, name: "october" },
  };
  await applyObjects(world.environment, [{ ...grant, spec: { credits: "100", reason: "monthly budget" } }]);
  const { body } = await get("/v1/credits");
  expect(body).toMatchObject({
    granted: "0",
    grants: [{ name: "october", credits: "100", reason: "monthly budget", applied: false }],
  });
});
