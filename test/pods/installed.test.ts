// The chart on stores of its owner: an ordinary life, and pods that go in the middle of one.
import { expect, test } from "@jest/globals";
import { currentBackend } from "./backend.ts";
import { startCaller } from "./caller.ts";
import { handoversOf } from "./handovers.ts";
import { TEST_MS, onInstalled } from "./level.ts";
import { NAMESPACE, leadingPod, operatorPods, untilRolledOut, upgrade } from "./release.ts";
import { kubectl } from "./site.ts";
import { STORES, STORE_VALUES, untilReady } from "./stores.ts";
import { expectPaidOnce } from "./tenant.ts";

/** Slow enough that tasks are still being submitted when pods go. */
const VALUES = {
  shim: { enabled: true },
  quota: { simulated: { submit: { perSecond: 5, burst: 5 }, inFlight: 100 } },
};
/** Who takes over before it ends was handed the work; who had to wait for it was not. */
const LEASE_MS = 15_000;

onInstalled("the chart on real pods", VALUES, (tenantOf) => {
  test(
    "tasks are paid once, and their outputs are in the bucket",
    async () => {
      const tenant = await tenantOf("ordinary");
      await tenant.ask(3);
      await expectPaidOnce(tenant, await tenant.untilSucceeded());
    },
    TEST_MS,
  );

  test(
    "a rolling update in the middle of a hundred submits loses nothing, pays nothing twice, and fails no request to the shim",
    async () => {
      const tenant = await tenantOf("rolled");
      const app = await tenantOf("by-rest");
      const caller = await startCaller(currentBackend(), app.namespace);
      const before = await operatorPods(currentBackend());
      await tenant.ask(100);
      await tenant.untilSubmitted(20);
      const began = new Date();
      await tenant.keepAsking(
        upgrade(currentBackend(), { ...STORE_VALUES, ...VALUES, "pods.annotations": { round: "2" } }),
      );
      const after = await operatorPods(currentBackend());
      expect(after.filter((pod) => before.includes(pod))).toEqual([]);
      const calls = await caller.stop();
      console.log(`rolling update: ${calls.asked} requests to the shim, ${calls.made.length} of them made a task`);
      expect(calls.failed).toEqual([]);
      await expectPaidOnce(app, await app.untilSucceeded(calls.made.length), calls.made);
      await expectPaidOnce(tenant, await tenant.untilSucceeded());

      const gaps = await handoversOf(await tenant.stores.databaseUrl(), began);
      console.log(`rolling update: nobody worked for ${gaps.map((ms) => `${ms.toFixed(0)} ms`).join(", ")}`);
      expect(gaps.length).toBeGreaterThanOrEqual(1);
      expect(Math.max(...gaps)).toBeLessThan(LEASE_MS);
    },
    TEST_MS,
  );

  test(
    "the leader's pod is deleted without grace",
    async () => {
      const backend = currentBackend();
      const tenant = await tenantOf("beheaded");
      await tenant.ask(50);
      await tenant.untilSubmitted(10);
      const leader = await leadingPod(backend);
      await kubectl(backend, ["--namespace", NAMESPACE, "delete", "pod", leader, "--grace-period=0", "--force"]);
      await expectPaidOnce(tenant, await tenant.untilSucceeded());
      expect(await leadingPod(backend)).not.toBe(leader);
      await untilRolledOut(backend);
    },
    TEST_MS,
  );

  test(
    "the database's pod goes, and comes back with its volume",
    async () => {
      const backend = currentBackend();
      const tenant = await tenantOf("without-books");
      await tenant.ask(50);
      await tenant.untilSubmitted(10);
      await kubectl(backend, ["--namespace", STORES, "delete", "pod", "--selector=app=postgres"]);
      await untilReady(backend, "postgres");
      await expectPaidOnce(tenant, await tenant.untilSucceeded());
    },
    TEST_MS,
  );
});
