// The cache against a real API server, through a network that fails in each way a network can.
import { describe, expect, test } from "@jest/globals";
import type { Log } from "../../../operator/runtime/log.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { follow, makeCluster, never, openWay } from "./cluster.ts";

const environment = sharedEnvironment();
const WAIT_MS = 60_000;

test(
  "what is created, changed and deleted shows, from a list that the server streams",
  async () => {
    const { namespace, maps, put, direct } = await makeCluster(environment);
    await put("a", { x: "1" });
    const { cache, log, until } = follow(direct, namespace);
    await cache.whenSynced(never);
    expect(log).toEqual(["watch.listed streamed"]);
    expect(cache.get(`${namespace}/a`)?.data).toEqual({ x: "1" });
    expect(cache.get(`${namespace}/a`)?.metadata.managedFields).toBeUndefined();

    await put("a", { x: "2" });
    await until(() => cache.get(`${namespace}/a`)?.data?.x === "2");
    const written = await put("b", {});
    await until(() => cache.has(`${namespace}/b`));
    expect(cache.seen().resourceVersion).toBe(written.metadata.resourceVersion);
    await maps.remove(`${namespace}/a`, { signal: never });
    await until(() => !cache.has(`${namespace}/a`));
  },
  WAIT_MS,
);

test(
  "a list read page by page is the same",
  async () => {
    const { namespace, put, direct } = await makeCluster(environment);
    for (let number = 0; number < 7; number++) await put(`m${number}`, {});
    const { cache, log } = follow(direct, namespace, { settings: { watchList: "never", pageSize: 3 } });
    await cache.whenSynced(never);
    expect(log).toEqual(["watch.listed paged"]);
    expect([...cache.keys()].filter((key) => key.includes("/m"))).toHaveLength(7);
  },
  WAIT_MS,
);

describe("a change that happens while the watch is broken shows, after", () => {
  test(
    "a reset, and a server that cannot be reached for a while",
    async () => {
      const { namespace, put } = await makeCluster(environment);
      const { proxy, transport } = await openWay(environment);
      const { cache, log, until } = follow(transport, namespace);
      await cache.whenSynced(never);
      proxy.refuse(true);
      proxy.reset();
      await put("a", {});
      proxy.refuse(false);
      await until(() => cache.has(`${namespace}/a`));
      expect(log.filter((event) => event.startsWith("watch.listed"))).toHaveLength(1); // it continued
    },
    WAIT_MS,
  );

  test(
    "a connection that went silent without a word",
    async () => {
      const { namespace, put } = await makeCluster(environment);
      const renewed: unknown[] = [];
      const log: Log = (_, event) => void renewed.push(event);
      const { proxy, transport } = await openWay(environment, { log });
      const { cache, until } = follow(transport, namespace, { settings: { idleMs: 2_000 } });
      await cache.whenSynced(never);
      proxy.blackHole();
      await put("a", {});
      await until(() => cache.has(`${namespace}/a`));
      expect(renewed).toContain("connection.renewed");
      expect(proxy.accepted()).toBeGreaterThan(1);
    },
    WAIT_MS,
  );
});

test(
  "a slow network is only slow",
  async () => {
    const { namespace, put } = await makeCluster(environment);
    const { proxy, transport } = await openWay(environment);
    proxy.delay(150);
    const { cache, log, until } = follow(transport, namespace);
    await cache.whenSynced(never);
    for (let number = 0; number < 5; number++) await put(`m${number}`, {});
    await until(() => cache.has(`${namespace}/m4`));
    expect(log).toEqual(["watch.listed streamed"]);
  },
  WAIT_MS,
);
