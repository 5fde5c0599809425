// A cache under a fault that lasts: how often it asks, what it holds open, and that it is whole again afterwards.
// Time runs faster than the wall's, for waits and faults alike: a minute of cuts takes six seconds.
import { describe, expect, test } from "@jest/globals";
import { sleep } from "../../../operator/runtime/clock.ts";
import { makeReflector } from "../../../operator/runtime/reflector.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { makeFastClock } from "../../unit/runtime/scripted-server.ts";
import type { Fate } from "./call-proxy.ts";
import {
  callWay,
  CONFIG_MAPS,
  follow,
  makeCluster,
  never,
  versionsOf,
  type Cluster,
  type ConfigMap,
} from "./cluster.ts";

const environment = sharedEnvironment();
const SPEED = 10;
const MINUTE_MS = 60_000;
const LIMIT_MS = 120_000;

async function thereNow({ maps, namespace }: Cluster): Promise<ReadonlyMap<string, string | undefined>> {
  const there: ConfigMap[] = [];
  for await (const map of maps.list({ namespace }, { signal: never })) there.push(map);
  return versionsOf(there);
}

test(
  "a watch that is cut every second for a minute misses nothing, and asks less than every other second",
  async () => {
    const cluster = await makeCluster(environment);
    const { namespace, put, maps } = cluster;
    const clock = makeFastClock(SPEED);
    const { proxy, transport } = await callWay(environment, { clock });
    const { cache, told, until } = follow(transport, namespace, { clock });
    await cache.whenSynced(never);
    const begunMs = clock.monotonicMs();
    const before = proxy.asked.length;
    for (let writes = 0; clock.monotonicMs() - begunMs < MINUTE_MS; writes++) {
      await put(`m${writes % 20}`, { n: String(writes) });
      if (writes % 5 === 4) await maps.remove(`${namespace}/m${(writes - 2) % 20}`, { signal: never });
      proxy.cut({ then: "reset" });
      await sleep(clock, 1_000, never);
    }
    const asked = proxy.asked.length - before;
    const seconds = (clock.monotonicMs() - begunMs) / 1_000;
    await put("last", {});
    await until(() => told.has(`${namespace}/last`));

    expect(versionsOf(cache.list())).toEqual(await thereNow(cluster));
    expect(versionsOf(cache.list())).toEqual(told);
    expect(asked).toBeGreaterThan(2); // it was cut again and again, and came back
    expect(asked).toBeLessThan(seconds / 2);
    expect(proxy.connections()).toBe(1);
  },
  LIMIT_MS,
);

const LASTING: readonly { readonly by: string; readonly fate: Fate }[] = [
  { by: "401", fate: { status: 401 } },
  { by: "403", fate: { status: 403 } },
  { by: "410", fate: { status: 410 } },
  { by: "429", fate: { status: 429 } },
  { by: "500", fate: { status: 500 } },
  { by: "503", fate: { status: 503 } },
  { by: "503 with Retry-After", fate: { status: 503, headers: { "retry-after": "1" } } },
  { by: "a stream that ends at once", fate: { status: 200 } },
  { by: "a reset", fate: "reset" },
];

/** How often two caches ask in two minutes in which nothing else is answered: one that was whole, one that never was. */
async function askedInTwoMinutes(fate: Fate): Promise<number> {
  const { namespace } = await makeCluster(environment);
  const clock = makeFastClock(SPEED * 4);
  const { proxy, transport } = await callWay(environment, { clock });
  const { cache } = follow(transport, namespace, { clock });
  await cache.whenSynced(never);
  const before = proxy.asked.length;
  proxy.judge(() => fate);
  proxy.cut({ then: "reset" });
  follow(transport, namespace, { clock });
  await sleep(clock, 2 * MINUTE_MS, never);
  return proxy.asked.length - before;
}

test(
  "a server that answers with the same fault for two minutes is asked less than every other second by each cache",
  async () => {
    const asked = await Promise.all(
      LASTING.map(async ({ by, fate }) => ({ by, times: await askedInTwoMinutes(fate) })),
    );
    expect(asked.filter(({ times }) => times >= 120)).toEqual([]);
    expect(asked.filter(({ times }) => times < 2)).toEqual([]); // they did try, slow as a busy machine may be beside a fast clock
  },
  LIMIT_MS,
);

test(
  "a watch that is refused with Retry-After waits that long",
  async () => {
    const { namespace } = await makeCluster(environment);
    const clock = makeFastClock(SPEED);
    const { proxy, transport } = await callWay(environment, { clock });
    const times: number[] = [];
    const refusal = { status: 429, headers: { "retry-after": "20" } };
    proxy.judge(() => (times.push(clock.monotonicMs()) === 1 ? refusal : undefined));
    const { cache } = follow(transport, namespace, { clock });
    await cache.whenSynced(never);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(20_000);
  },
  LIMIT_MS,
);

test(
  "behind a proxy whose own connection is alive, pings and all, and whose other side is dead, silence is noticed",
  async () => {
    const { namespace, put } = await makeCluster(environment);
    const { proxy, transport } = await callWay(environment);
    const { cache, until } = follow(transport, namespace, { settings: { idleMs: 2_000 } });
    await cache.whenSynced(never);
    proxy.deafen();
    await put("a", {});
    await until(() => cache.has(`${namespace}/a`));
    expect(proxy.asked.filter(({ isLost }) => isLost)).toEqual([]); // nothing more was tried over it
  },
  LIMIT_MS,
);

test(
  "a quiet collection keeps its version fresh by the server's bookmarks, and the end of its watches is no fault",
  async () => {
    const { namespace } = await makeCluster(environment);
    const elsewhere = await makeCluster(environment);
    const { proxy, transport } = await callWay(environment);
    const bookmarked = Promise.withResolvers<undefined>();
    const thirdWatch = Promise.withResolvers<undefined>();
    proxy.judge(() => {
      if (proxy.asked.length === 3) thirdWatch.resolve(undefined);
      return undefined;
    });
    let floor = "";
    const { cache, log } = follow(transport, namespace, {
      settings: { lifetimeMs: 2_000 }, // the server sends a bookmark shortly before it ends a watch
      random: () => 0,
      metrics: {
        event: () => void setImmediate(() => floor && isFresh() && bookmarked.resolve(undefined)),
        restarted: () => undefined,
        relisted: () => undefined,
      },
    });
    const isFresh = (): boolean => BigInt(cache.seen().resourceVersion) >= BigInt(floor);
    await cache.whenSynced(never);
    floor = (await elsewhere.put("b", {})).metadata.resourceVersion ?? "";
    await bookmarked.promise;
    await thirdWatch.promise;
    expect(log).toEqual(["watch.listed streamed"]);
  },
  LIMIT_MS,
);

interface StopCase {
  readonly when: string;
  readonly fate: Fate;
  /** True from the moment to stop on. */
  readonly isMoment: (log: readonly string[]) => boolean;
}

const STOPS: readonly StopCase[] = [
  { when: "during the first list", fate: "silence", isMoment: () => true },
  { when: "between two tries", fate: { status: 500 }, isMoment: (log) => log.includes("watch.restarted") },
  { when: "while it watches", fate: undefined, isMoment: (log) => log.includes("watch.listed") },
];

describe("a cache that is stopped asks nothing more, holds nothing open and says no word of a fault:", () => {
  test.each(STOPS)(
    "$when",
    async ({ fate, isMoment }) => {
      const { namespace } = await makeCluster(environment);
      const clock = makeFastClock(SPEED);
      const { proxy, transport } = await callWay(environment, { clock });
      const log: string[] = [];
      const reached = Promise.withResolvers<undefined>();
      const check = (): void => (isMoment(log) && proxy.asked.length > 0 ? reached.resolve(undefined) : undefined);
      proxy.judge(() => {
        setImmediate(check);
        return fate;
      });
      const cache = makeReflector<ConfigMap>({
        ...{ transport, kind: CONFIG_MAPS, namespace, clock },
        log: (_, event) => {
          log.push(event);
          check();
        },
      });
      const stop = new AbortController();
      const running = cache.run(stop.signal);
      await reached.promise;
      const [asked, said] = [proxy.asked.length, log.length];
      stop.abort(new Error("stop"));
      await running;
      await Promise.all(proxy.asked.map(({ closed }) => closed));
      await sleep(clock, 3_000, never); // longer than the wait between two tries
      expect([proxy.asked.length, log.length, proxy.open()]).toEqual([asked, said, 0]);
    },
    LIMIT_MS,
  );
});
