// However a watch of the real server ends, and whatever answers what comes after it: the cache becomes like the collection
// again, with the changes of the meantime, and nobody is asked in a spin. Time runs ten times faster than the wall's, so that
// the ratio of faults to waits is that of production.
import { describe, expect, test } from "@jest/globals";
import { makeFastClock } from "../../unit/runtime/scripted-server.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import type { Cut, Fate } from "./call-proxy.ts";
import { callWay, follow, makeCluster, never, versionsOf, type CallWay } from "./cluster.ts";

const environment = sharedEnvironment();
const SPEED = 10;
const WAIT_MS = 120_000;

const status = (code: number, reason: string, details: object = {}): string =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, details });
const refusal = (code: number, reason: string, details: object = {}): Fate => ({
  status: code,
  body: status(code, reason, details),
});
const saying = (line: string): Cut => ({ saying: line, then: "go on" });
const errorEvent = (code: number, reason: string): string =>
  `${JSON.stringify({ type: "ERROR", object: JSON.parse(status(code, reason)) as unknown })}\n`;

interface EndCase {
  readonly by: string;
  readonly end: (proxy: CallWay["proxy"]) => void;
}

const cutting = (by: string, cut: Cut): EndCase => ({ by, end: (proxy) => proxy.cut(cut) });

const ENDS: readonly EndCase[] = [
  cutting("the reset of its stream", { then: "reset" }),
  cutting("an end in order", { then: "end" }),
  cutting("an end in the middle of an object", { saying: '{"type":"ADDED","object":{"metada', then: "end" }),
  cutting("a reset in the middle of an object", { saying: '{"type":"ADDED","object":{"metada', then: "reset" }),
  cutting("a line that is no JSON", saying("<html>\n")),
  cutting("an event of an unknown type", saying('{"type":"OTHER","object":{}}\n')),
  cutting("an event without an object", saying('{"type":"ADDED"}\n')),
  cutting("an error inside the stream", saying(errorEvent(500, "InternalError"))),
  cutting("410 inside the stream", saying(errorEvent(410, "Expired"))),
  cutting("429 inside the stream", saying(errorEvent(429, "TooManyRequests"))),
  {
    by: "a connection that takes no new calls, and then resets",
    end: (proxy) => {
      proxy.goAway();
      proxy.cut({ then: "reset" });
    },
  },
];

/** Ends the watch while every call fails in the given way; what happens then must show once calls pass again. */
async function endAndChange(end: (proxy: CallWay["proxy"]) => void, fate: Fate): Promise<CallWay["proxy"]> {
  const cluster = await makeCluster(environment);
  const { namespace, put, maps } = cluster;
  await put("gone", {});
  await put("kept", { x: "1" });
  const clock = makeFastClock(SPEED);
  const { proxy, transport } = await callWay(environment, { clock });
  const { cache, told, until } = follow(transport, namespace, { clock });
  await cache.whenSynced(never);

  let refused = 0;
  proxy.judge(() => (refused++ < 2 ? fate : undefined));
  end(proxy);
  await put("new", {});
  const kept = await put("kept", { x: "2" });
  await maps.remove(`${namespace}/gone`, { signal: never });
  const key = (name: string): string => `${namespace}/${name}`;
  const isTold = (): boolean =>
    told.has(key("new")) && !told.has(key("gone")) && told.get(key("kept")) === kept.metadata.resourceVersion;
  await until(isTold);
  expect(versionsOf(cache.list())).toEqual(told);
  return proxy;
}

describe("a watch that ended is followed by another, without a loss, after", () => {
  test.each(ENDS)(
    "$by",
    async ({ end }) => {
      const { asked } = await endAndChange(end, undefined);
      expect(asked.length).toBeLessThanOrEqual(5);
    },
    WAIT_MS,
  );
});

const FATES: readonly { readonly by: string; readonly fate: Fate }[] = [
  { by: "400", fate: refusal(400, "BadRequest") },
  { by: "401", fate: refusal(401, "Unauthorized") },
  { by: "403", fate: refusal(403, "Forbidden") },
  { by: "404", fate: refusal(404, "NotFound") },
  { by: "410", fate: refusal(410, "Expired") },
  { by: "429", fate: refusal(429, "TooManyRequests") },
  { by: "500", fate: refusal(500, "InternalError") },
  { by: "502 of a proxy, in HTML", fate: { status: 502, body: "<html>bad gateway</html>" } },
  { by: "503", fate: refusal(503, "ServiceUnavailable") },
  {
    by: "504: the version is from the future",
    fate: refusal(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] }),
  },
  { by: "200 and a body that is neither list nor watch", fate: { status: 200, body: "{}\n" } },
  { by: "200 and nothing", fate: { status: 200 } },
  { by: "a reset", fate: "reset" },
];

describe("nothing is lost when the watch is cut, and what follows is answered with", () => {
  test.each(FATES)(
    "$by",
    async ({ fate }) => {
      await endAndChange((proxy) => proxy.cut({ then: "reset" }), fate);
    },
    WAIT_MS,
  );
});

describe("a cache that has never been whole becomes so when the first calls were answered with", () => {
  test.each(FATES)(
    "$by",
    async ({ fate }) => {
      const { namespace, put } = await makeCluster(environment);
      await put("a", {});
      const clock = makeFastClock(SPEED);
      const { proxy, transport } = await callWay(environment, { clock });
      let refused = 0;
      proxy.judge(() => (refused++ < 2 ? fate : undefined));
      const { cache } = follow(transport, namespace, { clock });
      await cache.whenSynced(never);
      expect(cache.has(`${namespace}/a`)).toBe(true);
    },
    WAIT_MS,
  );
});
