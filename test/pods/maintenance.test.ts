// What a platform team does to a cluster and its secrets while tasks run.
import { expect, test } from "@jest/globals";
import { currentBackend, type Backend } from "./backend.ts";
import { TEST_MS, onInstalled } from "./level.ts";
import { NAMESPACE, OPERATOR_PODS, leadingPod, operatorPods, untilRolledOut } from "./release.ts";
import { applyObjects } from "../operator/installation.ts";
import { kubectl } from "./site.ts";
import { LOGIN, PROVIDER_TOKEN, psql, storeSecrets } from "./stores.ts";
import { expectPaidOnce } from "./tenant.ts";
import type { ProviderEvent } from "../provider/record/events.ts";

const VALUES = { quota: { simulated: { submit: { perSecond: 2, burst: 2 }, inFlight: 100 } } };
const NEW_LOGIN = { name: "genop_operator_2", password: "owner-of-nothing-2" };

async function nodeOf(backend: Backend): Promise<string> {
  return (await kubectl(backend, ["get", "nodes", "--output", "jsonpath={.items[0].metadata.name}"])).trim();
}

const setToken = (token: string): Promise<void> =>
  applyObjects(currentBackend(), [
    { apiVersion: "v1", kind: "Secret", metadata: { name: "simulated", namespace: NAMESPACE }, stringData: { token } },
  ]);

onInstalled("maintenance", VALUES, (tenantOf) => {
  test(
    "a drained node gives up one pod and keeps the other until there is a place for the first",
    async () => {
      const backend = currentBackend();
      const node = await nodeOf(backend);
      const tenant = await tenantOf("drained");
      await tenant.ask(40);
      await tenant.untilSubmitted(4);
      const before = await operatorPods(backend);
      const selector = [`--pod-selector=${OPERATOR_PODS}`, "--delete-emptydir-data", "--timeout=20s"];
      await expect(kubectl(backend, ["drain", node, ...selector])).rejects.toThrow(/disruption budget/);
      const left = (await operatorPods(backend)).filter((pod) => before.includes(pod));
      expect(left).toHaveLength(1);
      await tenant.untilSubmitted(30); // the one that is left works
      expect(left).toContain(await leadingPod(backend));
      await kubectl(backend, ["uncordon", node]);
      await untilRolledOut(backend);
      await expectPaidOnce(tenant, await tenant.untilSucceeded());
    },
    TEST_MS,
  );

  test(
    "a provider's credential is replaced without a restart, and while it is wrong nothing fails",
    async () => {
      const backend = currentBackend();
      const tenant = await tenantOf("locked-out");
      const pods = await operatorPods(backend);
      const began = Date.now();
      await setToken("no longer valid");
      const isRefusal = ({ at, type }: ProviderEvent): boolean => type === "request.refused" && Date.parse(at) >= began;
      const refused = tenant.stores.provider.waitFor(isRefusal, AbortSignal.timeout(TEST_MS));
      await tenant.keepAsking(refused); // it is read again within seconds, and until then all goes on
      await setToken(PROVIDER_TOKEN);
      await expectPaidOnce(tenant, await tenant.untilSucceeded());
      expect(await operatorPods(backend)).toEqual(pods);
    },
    TEST_MS,
  );

  test(
    "the database's login is replaced while tasks run",
    async () => {
      const backend = currentBackend();
      const tenant = await tenantOf("new-login");
      await tenant.ask(30);
      await tenant.untilSubmitted(4);
      await psql(backend, `create role ${NEW_LOGIN.name} login password '${NEW_LOGIN.password}' in role genop_app`);
      await applyObjects(backend, storeSecrets(NAMESPACE, NEW_LOGIN));
      await kubectl(backend, [
        "--namespace",
        NAMESPACE,
        "rollout",
        "restart",
        "deployment",
        "--selector",
        OPERATOR_PODS,
      ]);
      await untilRolledOut(backend);
      const sessions = `select count(*) from pg_stat_activity where usename = '${LOGIN.name}'`;
      expect((await psql(backend, sessions)).trim()).toBe("0");
      await psql(backend, `alter role ${LOGIN.name} nologin`);
      await expectPaidOnce(tenant, await tenant.untilSucceeded());
      await psql(backend, `alter role ${LOGIN.name} login`); // for the files after this one
    },
    TEST_MS,
  );
});
