import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { makeCaches, type Caches } from "../../../operator/kube/caches.ts";
import { readInstallation } from "../../../operator/kube/installation.ts";
import { makeNamespaceLabels } from "../../../operator/kube/namespaces.ts";
import { QUOTA_CONFIG_MAP, makeQuotas, type LiveQuotas } from "../../../operator/kube/quota.ts";
import { LIMIT_MS, makeCluster, signal, type Cluster } from "./fixture.ts";

let cluster: Cluster;
let caches: Caches;
let quotas: LiveQuotas;

beforeAll(async () => {
  cluster = await makeCluster();
  caches = makeCaches({ transport: cluster.operator, namespace: cluster.namespace });
  quotas = makeQuotas(caches.quota);
}, LIMIT_MS);

afterAll(() => cluster.close(), LIMIT_MS);

const inFlight = (): unknown => {
  const admission = quotas.admission("acme", "m", "studio");
  return admission === "unknown" ? admission : admission.inFlight;
};

/** Resolves when the quota's change was taken. */
const changed = (): Promise<readonly string[]> => new Promise((resolve) => quotas.onChange(resolve));

async function write(text: string): Promise<void> {
  const change = changed();
  await cluster.admin.configMaps.patch(
    `${cluster.namespace}/${QUOTA_CONFIG_MAP}`,
    { data: { acme: text } },
    { signal: signal() },
  );
  await change;
}

test("nothing is admitted before the ConfigMap was read; every cache can be read with the operator's rights", async () => {
  expect(inFlight()).toBe("unknown");
  const all = [caches.tasks, caches.providers, caches.grants, caches.namespaces, caches.quota];
  all.forEach((cache) => void cache.run(cluster.end));
  await Promise.all(all.map((cache) => cache.whenSynced(signal())));
  expect(inFlight()).toBeUndefined();
  expect(quotas.standing("acme").state).toBe("unlimited");
});

test("limits are in force as they are written, and a bad edit keeps the last good ones", async () => {
  const change = changed();
  const metadata = { name: QUOTA_CONFIG_MAP, namespace: cluster.namespace };
  await cluster.admin.configMaps.create({ metadata, data: { acme: "inFlight: 4" } }, { signal: signal() });
  expect(await change).toEqual(["acme"]);
  expect(inFlight()).toBe(4);

  await write("inFlight: plenty");
  expect(inFlight()).toBe(4);
  expect(quotas.standing("acme")).toMatchObject({ state: "bad", isInForce: true });

  await write("inFlight: 2");
  expect(inFlight()).toBe(2);
  expect(quotas.problems().size).toBe(0);
});

test("limits outlive a ConfigMap that is deleted", async () => {
  const change = changed();
  await cluster.admin.configMaps.remove(`${cluster.namespace}/${QUOTA_CONFIG_MAP}`, { signal: signal() });
  await change;
  expect(inFlight()).toBe(2);
  expect(quotas.standing("acme").message).toMatch(/was deleted/);
});

test("labels of namespaces are known, and those of a namespace that is not there are not", () => {
  const labelsOf = makeNamespaceLabels(caches.namespaces);
  expect(labelsOf(cluster.tenant)).toMatchObject({
    tenant: "true",
    "kubernetes.io/metadata.name": cluster.tenant,
  });
  expect(labelsOf("nowhere")).toBeUndefined();
});

test("the installation is the UID of kube-system", async () => {
  const kubeSystem = await cluster.admin.namespaces.get("kube-system", { signal: signal() });
  expect(await readInstallation(cluster.operator, { signal: signal() })).toBe(kubeSystem?.metadata.uid);
});
