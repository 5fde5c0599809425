// Calls over real sockets to a server that misbehaves by script.
import { describe, expect, test } from "@jest/globals";
import {
  isAlreadyExists,
  isConflict,
  isExpired,
  isInvalid,
  isNotFound,
  isVersionTooLarge,
  KubeError,
  TerminalError,
} from "../../../operator/runtime/errors.ts";
import type { Log } from "../../../operator/runtime/log.ts";
import type { KubeRequest } from "../../../operator/runtime/sender.ts";
import { makeTransport } from "../../../operator/runtime/transport.ts";
import {
  answer,
  failure,
  hangUp,
  makeFastClock,
  silence,
  startScriptedServer,
  type Answer,
} from "./scripted-server.ts";
import { faultOf, later, never, start } from "./with-server.ts";

const GET: KubeRequest = { method: "GET", path: "/api/v1/things", query: { secret: "query", none: undefined } };
const POST: KubeRequest = { method: "POST", path: "/api/v1/things", body: { secret: "body" } };
test("a call carries method, path, query, body and type, and gives back the parsed answer", async () => {
  const { server, transport } = await start(() => answer({ ok: true }));
  const patch = {
    method: "PATCH",
    path: "/a/b",
    query: { dryRun: "All" },
    body: { x: 1 },
    contentType: "application/merge-patch+json",
  } as const;
  expect(await transport.request(patch, { signal: never })).toEqual({ ok: true });

  const [asked] = server.asked;
  expect(asked).toMatchObject({ method: "PATCH", path: "/a/b", body: '{"x":1}' });
  expect(asked?.query.get("dryRun")).toBe("All");
  expect(asked?.headers["content-type"]).toBe("application/merge-patch+json");
});

test("a server behind a path keeps it", async () => {
  const server = await startScriptedServer(() => answer({}));
  const kubeConfig = server.kubeConfig();
  kubeConfig.loadFromClusterAndUser({ name: "c", server: `${server.url}/k8s/c1/`, skipTLSVerify: true }, { name: "u" });
  const transport = makeTransport({ kubeConfig });
  later(() => server.close());
  later(() => transport.close());
  await transport.request(GET, { signal: never });
  expect(server.asked[0]?.path).toBe("/k8s/c1/api/v1/things");
});

describe("an answer that is no success", () => {
  test.each([
    { is: isNotFound, then: failure(404, "NotFound"), named: "not found" },
    { is: isConflict, then: failure(409, "Conflict"), named: "a conflict" },
    { is: isAlreadyExists, then: failure(409, "AlreadyExists"), named: "there already" },
    { is: isExpired, then: failure(410, "Expired"), named: "expired" },
    { is: isInvalid, then: failure(422, "Invalid"), named: "invalid" },
    {
      is: isVersionTooLarge,
      then: failure(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] }),
      named: "from the future",
    },
  ])("is recognised as $named, and its message holds neither body nor query", async ({ is, then }) => {
    const { transport } = await start(() => then);
    const error = await faultOf(transport.request(GET, { signal: never }));
    expect(is(error)).toBe(true);
    expect([isConflict, isAlreadyExists].filter((other) => other !== is).some((other) => other(error))).toBe(false);
    expect((error as Error).message).toMatch(/^cannot GET \/api\/v1\/things: \w+ \(\d+\)$/);
  });

  test("of a proxy, in HTML, still has its status", async () => {
    const { transport } = await start(() => (response) => response.writeHead(502).end("<html>"));
    expect(await faultOf(transport.request(GET, { signal: never }))).toMatchObject({
      status: 502,
      reason: "Status502",
    });
  });
});

interface RepeatCase {
  readonly when: string;
  readonly request: KubeRequest;
  readonly first: Answer;
  readonly tries: number;
}

const once429: Answer = answer({}, 429, { "retry-after": "3" });

const REPEATS: readonly RepeatCase[] = [
  {
    when: "a write that was refused for load was not executed: it is sent again",
    request: POST,
    first: once429,
    tries: 2,
  },
  { when: "a read that was refused for load is sent again", request: GET, first: once429, tries: 2 },
  {
    when: "a read that met an unavailable server is sent again",
    request: GET,
    first: failure(503, "ServiceUnavailable"),
    tries: 2,
  },
  {
    when: "a write that met an unavailable server may have been executed: it is not",
    request: POST,
    first: failure(503, "ServiceUnavailable"),
    tries: 1,
  },
  { when: "a read whose connection broke is sent again", request: GET, first: hangUp, tries: 2 },
  { when: "a write whose connection broke may have been executed: it is not", request: POST, first: hangUp, tries: 1 },
  { when: "a fault of the caller's is not repeated", request: GET, first: failure(400, "BadRequest"), tries: 1 },
];

test.each(REPEATS)("$when", async ({ request, first, tries }) => {
  const clock = makeFastClock(50);
  const { server, transport } = await start((_, count) => (count === 1 ? first : answer({ done: true })), { clock });
  const patient = { signal: never, timeoutMs: 600_000 };
  const result = await transport.request(request, patient).catch((error: unknown) => error);
  expect(server.asked).toHaveLength(tries);
  expect(result instanceof KubeError).toBe(tries === 1);
});

test("Retry-After is waited for", async () => {
  const clock = makeFastClock(50);
  const { transport } = await start((_, count) => (count === 1 ? once429 : answer({})), { clock });
  const beganMs = clock.monotonicMs();
  await transport.request(POST, { signal: never, timeoutMs: 600_000 });
  expect(clock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(3_000);
});

test("a wait beyond the deadline is not begun", async () => {
  const { server, transport } = await start(() => answer({}, 429, { "retry-after": "600" }));
  const error = await faultOf(transport.request(POST, { signal: never, timeoutMs: 10_000 }));
  expect(error).toMatchObject({ status: 429, retryAfterMs: 600_000 });
  expect(server.asked).toHaveLength(1);
});

test("the number of repetitions is bounded", async () => {
  const { server, transport } = await start(() => answer({}, 429), { clock: makeFastClock(500) });
  const patient = { signal: never, timeoutMs: 3_600_000 };
  expect(await faultOf(transport.request(POST, patient))).toMatchObject({ status: 429 });
  expect(server.asked).toHaveLength(5);
});

test("a deadline ends the call, frees the socket and says so", async () => {
  const { server, transport } = await start(() => silence);
  const error = await faultOf(transport.request(GET, { signal: never, timeoutMs: 50 }));
  expect(error).toMatchObject({ name: "KubeError", status: 0, reason: "Timeout" });
  await server.asked[0]?.hungUp;
});

test("an abort reaches the socket, and its reason reaches the caller", async () => {
  const giveUp = new AbortController();
  const { server, transport } = await start(() => {
    setImmediate(() => giveUp.abort(new Error("changed my mind")));
    return silence;
  });
  expect(await faultOf(transport.request(GET, { signal: giveUp.signal }))).toMatchObject({
    message: "changed my mind",
  });
  await server.asked[0]?.hungUp;
});

test("a body that is no JSON is refused before anything is sent", async () => {
  const { server, transport } = await start(() => answer({}));
  expect(await faultOf(transport.request({ ...POST, body: { money: 1n } }, { signal: never }))).toBeInstanceOf(
    TerminalError,
  );
  expect(server.asked).toHaveLength(0);
});

test("two hundred calls in a row share their connections, and a burst no more than allowed", async () => {
  const { server, transport } = await start(() => answer({}), { maxConnections: 8 });
  for (let call = 0; call < 200; call++) await transport.request(GET, { signal: never });
  expect(server.connections()).toBeLessThanOrEqual(2);
  await Promise.all(Array.from({ length: 100 }, () => transport.request(GET, { signal: never })));
  expect(server.connections()).toBeLessThanOrEqual(8);
});

test("after a call without an answer, when nothing else was heard, new calls use a new connection", async () => {
  const events: string[] = [];
  const log: Log = (_, event) => void events.push(event);
  const { transport } = await start((_, count) => (count > 1 ? silence : answer({})), { log });
  await transport.request(GET, { signal: never });
  expect(events).toEqual([]);
  await faultOf(transport.request(GET, { signal: never, timeoutMs: 50 }));
  expect(events).toEqual(["connection.renewed"]);
});
