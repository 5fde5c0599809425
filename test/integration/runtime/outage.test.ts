// The cache through outages of a control plane of its own: a killed API server, and a database restored from backup.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { only, startEnvironment, type Environment } from "../../env/environment.ts";
import { follow, makeCluster, type Cluster } from "./cluster.ts";

const LIMIT_MS = 180_000;

let environment: Environment;
beforeAll(async () => {
  environment = await startEnvironment({ ...only("controlPlane"), controllerManager: false });
}, LIMIT_MS);
afterAll(() => environment.stop(), LIMIT_MS);

/** A server that has just come back refuses a while. */
async function putUntilAccepted({ put }: Cluster, name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await put(name, {});
      return;
    } catch (error) {
      if (tries === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

test(
  "a killed API server: what happened before it came back, and what happens after, shows",
  async () => {
    const cluster = await makeCluster(environment);
    const { namespace, direct, put } = cluster;
    await put("a", {});
    const { cache, log, until } = follow(direct, namespace);
    await until(() => cache.has(`${namespace}/a`));
    const server = environment.part("kube-apiserver");
    await server.kill();
    await server.start();
    await putUntilAccepted(cluster, "b");
    await until(() => cache.has(`${namespace}/b`));
    expect(cache.has(`${namespace}/a`)).toBe(true);
    expect(log).toContain("watch.restarted");
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
