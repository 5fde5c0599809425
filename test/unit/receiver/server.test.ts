import { request } from "node:http";
import { afterEach, describe, expect, test } from "@jest/globals";
import { attemptAt, webhookAddress } from "../../../operator/receiver/address.ts";
import { startReceiver, RECEIVER_LIMITS, type Message, type Receiver } from "../../../operator/receiver/server.ts";

const KEY = "a key of at least thirty-two characters";
const ID = "00000000-0000-4000-8000-000000000001";

interface Stand {
  readonly receiver: Receiver;
  readonly stored: Message[];
  readonly outcomes: string[];
}

let receiver: Receiver | undefined;
afterEach(async () => {
  await receiver?.close();
  receiver = undefined;
});

async function stand(store?: () => Promise<void>): Promise<Stand> {
  const stored: Message[] = [];
  const outcomes: string[] = [];
  receiver = await startReceiver(
    { port: 0, host: "127.0.0.1" },
    {
      key: KEY,
      store: async (message) => {
        stored.push(message);
        await store?.();
      },
      count: (outcome) => outcomes.push(outcome),
      nowMs: () => 0,
    },
  );
  return { receiver, stored, outcomes };
}

const PATH = new URL(webhookAddress("http://h", KEY, ID)).pathname;

function send(
  { port }: Receiver,
  {
    path = PATH,
    method = "POST",
    headers = {},
    body = "{}",
  }: Partial<Record<"path" | "method" | "body", string>> & { headers?: Record<string, string> } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.on("error", reject);
    call.end(method === "GET" ? undefined : body);
  });
}

describe("an address", () => {
  test("leads back to its attempt", () => {
    expect(attemptAt(PATH, KEY)).toBe(ID);
    expect(webhookAddress("https://h/base/", KEY, ID)).toMatch(/^https:\/\/h\/base\/v1\/webhooks\//);
  });

  test.each([
    {
      what: "another key's",
      path: new URL(webhookAddress("http://h", "another key of thirty-two characters", ID)).pathname,
    },
    { what: "another attempt's", path: PATH.replace(ID, ID.replace("1", "2")) },
    { what: "one with a character changed", path: `${PATH.slice(0, -1)}${PATH.endsWith("A") ? "B" : "A"}` },
    { what: "one without its proof", path: `/v1/webhooks/${ID}` },
    { what: "any other path", path: "/" },
  ])("$what is nobody's", ({ path }) => {
    expect(attemptAt(path, KEY)).toBeUndefined();
  });
});

describe("the receiver", () => {
  test("answers when the message is on disk, not before", async () => {
    const written = Promise.withResolvers<undefined>();
    const { outcomes, receiver: at, stored } = await stand(() => written.promise);
    const status = send(at, { headers: { "webhook-id": "m1", cookie: "no", authorization: "Bearer s" }, body: "raw" });
    while (stored.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(outcomes).toEqual([]);
    written.resolve(undefined);
    expect(await status).toBe(202);
    expect(stored[0]).toMatchObject({ attemptId: ID, body: Buffer.from("raw") });
    expect(Object.keys(stored[0]?.headers ?? {}).sort()).toEqual(["authorization-sha256", "webhook-id"]);
  });

  test("asks to be told again when it could not be written", async () => {
    const { receiver: at } = await stand(() => Promise.reject(new Error("down")));
    expect(await send(at)).toBe(503);
  });

  test("gives the same message the same digest, and another id or body another one", async () => {
    const { receiver: at, stored } = await stand();
    for (const [id, body] of [
      ["a", "x"],
      ["a", "x"],
      ["b", "x"],
      ["a", "y"],
    ] as const)
      await send(at, { headers: { "webhook-id": id }, body });
    const digests = stored.map(({ digest }) => digest);
    expect(digests[0]).toBe(digests[1]);
    expect(new Set(digests).size).toBe(3);
  });

  test.each([
    { what: "a stranger's address", call: { path: "/v1/webhooks/none" }, status: 404 },
    { what: "another method", call: { method: "GET" }, status: 405 },
    { what: "a body that is too large", call: { body: "x".repeat(RECEIVER_LIMITS.bodyBytes + 1) }, status: 413 },
  ])("refuses $what without a write", async ({ call, status }) => {
    const { receiver: at, stored } = await stand();
    expect(await send(at, call).catch(() => 413)).toBe(status);
    expect(stored).toEqual([]);
  });

  test("a flood on one address is cut, and the others are not", async () => {
    const { receiver: at, stored } = await stand();
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, nth) => send(at, { body: String(nth) })));
    expect(statuses.filter((status) => status === 202)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    const other = "00000000-0000-4000-8000-000000000002";
    expect(await send(at, { path: new URL(webhookAddress("http://h", KEY, other)).pathname })).toBe(202);
    expect(stored).toHaveLength(21);
  });

  test("a flood of unknown addresses costs no write", async () => {
    const { outcomes, receiver: at, stored } = await stand();
    await Promise.all(
      Array.from({ length: 200 }, (_, nth) =>
        send(at, { path: `/v1/webhooks/${ID}.${String(nth).padStart(32, "A")}` }),
      ),
    );
    expect(stored).toEqual([]);
    expect(new Set(outcomes)).toEqual(new Set(["stranger"]));
  });
});
