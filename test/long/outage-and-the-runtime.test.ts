// The cache through outages of a control plane of its own: an API server that is away for a minute, a database whose old versions
// were compacted away, and one restored from backup.
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Coordinates } from "../env/attach.ts";
import { only, startEnvironment, type Environment } from "../env/environment.ts";
import { pagesOf } from "../../operator/runtime/resources.ts";
import { isExpired } from "../../operator/runtime/errors.ts";
import { makeFastClock } from "../unit/runtime/scripted-server.ts";
import { CONFIG_MAPS, follow, makeCluster, never, openWay, type Cluster } from "../integration/runtime/cluster.ts";

const LIMIT_MS = 240_000;
/** Of the cache and its connection: the minute of the outage and the waits between tries are a quarter as long. */
const SPEED = 4;
const AWAY_MS = 60_000;
const ACCEPTED_WITHIN_MS = 60_000;

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ ...only("controlPlane"), controllerManager: false });
}, LIMIT_MS);
afterAll(() => environment.stop(), LIMIT_MS);

/** A server that has just come back refuses a while. */
async function putUntilAccepted({ put }: Cluster, name: string): Promise<void> {
  const limit = AbortSignal.timeout(ACCEPTED_WITHIN_MS);
  for (;;) {
    try {
      await put(name, {});
      return;
    } catch (error) {
      if (limit.aborted) throw error;
      await pause(250);
    }
  }
}

test(
  "an API server away for a minute is asked less than once a second, and what happened before and after its return shows",
  async () => {
    const cluster = await makeCluster(environment);
    const { namespace, put } = cluster;
    await put("a", {});
    const clock = makeFastClock(SPEED);
    const { proxy, transport } = await openWay(environment, { clock });
    const { cache, log, until } = follow(transport, namespace, { clock });
    await until(() => cache.has(`${namespace}/a`));
    const [accepted, open] = [proxy.accepted(), proxy.open()];
    const server = environment.part("kube-apiserver");
    await server.kill();
    await pause(AWAY_MS / SPEED); // what is tested, not a wait for something
    expect(proxy.accepted() - accepted).toBeGreaterThan(2);
    expect(proxy.accepted() - accepted).toBeLessThan(AWAY_MS / 1_000);
    await server.start();
    await putUntilAccepted(cluster, "b");
    await until(() => cache.has(`${namespace}/b`));
    expect(cache.has(`${namespace}/a`)).toBe(true);
    expect(log).toContain("watch.restarted");
    expect(proxy.open()).toBeLessThanOrEqual(open);
  },
  LIMIT_MS,
);

/** What etcd does by itself after five minutes, through its gateway: older versions than this are gone. */
async function compact(revision: string): Promise<void> {
  const { plans } = JSON.parse(readFileSync(environment.coordinatesPath, "utf8")) as Coordinates;
  const option = "--listen-client-urls=";
  const url = plans.etcd?.command.find((word) => word.startsWith(option))?.slice(option.length);
  const body = JSON.stringify({ revision, physical: true });
  const answer = await fetch(`${url ?? ""}/v3/kv/compaction`, { method: "POST", body });
  if (!answer.ok) throw new Error(`cannot compact: etcd answered ${answer.status}`);
}

test(
  "versions that were compacted away: a list breaks off with 410, a cache that missed them is whole again, deletions told",
  async () => {
    const cluster = await makeCluster(environment);
    const { namespace, direct, put, maps } = cluster;
    for (let number = 0; number < 6; number++) await put(`m${number}`, {});
    const { proxy, transport } = await openWay(environment);
    const { cache, told, until } = follow(transport, namespace);
    await until(() => cache.has(`${namespace}/m5`));
    const pages = pagesOf(direct, CONFIG_MAPS, { namespace, pageSize: 2 }, { signal: never });
    await pages.next();

    proxy.refuse(true);
    proxy.reset();
    await maps.remove(`${namespace}/m0`, { signal: never });
    const last = await put("late", {});
    await compact(last.metadata.resourceVersion ?? "");
    const server = environment.part("kube-apiserver"); // its memory of changes goes with it
    await server.kill();
    await server.start();
    expect(isExpired(await pages.next().catch((error: unknown) => error))).toBe(true);
    proxy.refuse(false);
    await until(() => told.has(`${namespace}/late`) && !told.has(`${namespace}/m0`));
    expect(told.size).toBe(cache.size());
  },
  LIMIT_MS,
);

test(
  "a database restored from backup: what was written since is gone from the cache too, and new work shows",
  async () => {
    const cluster = await makeCluster(environment);
    const { namespace, direct, put } = cluster;
    await put("before", {});
    const { cache, until } = follow(direct, namespace);
    await until(() => cache.has(`${namespace}/before`));

    const [etcd, server] = [environment.part("etcd"), environment.part("kube-apiserver")];
    const data = join(environment.folder, "etcd");
    const backup = join(environment.folder, "etcd-backup");
    await etcd.stop();
    cpSync(data, backup, { recursive: true });
    await etcd.start();
    for (let number = 0; number < 30; number++) await putUntilAccepted(cluster, `lost-${number}`);
    await until(() => cache.has(`${namespace}/lost-29`));

    await server.kill();
    await etcd.kill();
    rmSync(data, { recursive: true });
    cpSync(backup, data, { recursive: true });
    await etcd.start();
    await server.start();
    await putUntilAccepted(cluster, "after");
    await until(() => cache.has(`${namespace}/after`) && !cache.has(`${namespace}/lost-29`));
    expect([...cache.keys()].filter((key) => key.includes("lost"))).toEqual([]);
    expect(cache.seen().history).toBe(1);
  },
  LIMIT_MS,
);
