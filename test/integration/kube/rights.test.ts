// The rights of rbac.ts, used by the parts of the runtime that the other tests of this folder don't need, and their limits.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { CONFIG_MAPS, GRANTS, NAMESPACES, PROVIDERS, SECRETS, TASKS } from "../../../operator/kube/kinds.ts";
import { makeSecrets, type SecretObject } from "../../../operator/kube/secrets.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { makeElector, type ElectorSettings } from "../../../operator/runtime/elector.ts";
import { QUOTA_CONFIG_MAP } from "../../../operator/kube/quota.ts";
import { LEASES } from "../../../operator/runtime/lease.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { LIMIT_MS, eventsAbout, eventually, makeCluster, signal, startRecorder, type Cluster } from "./fixture.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await makeCluster();
}, LIMIT_MS);
afterAll(() => cluster.close(), LIMIT_MS);

/** So long that nothing but the watch can bring a lease over in the time of a test. */
const SLOW: Partial<ElectorSettings> = { leaseMs: 600_000, renewDeadlineMs: 400_000, retryMs: 180_000 };

function stand(
  identity: string,
  stop: AbortSignal,
): { readonly leads: Promise<void>; readonly ended: Promise<string> } {
  const leads = Promise.withResolvers<undefined>();
  const elector = makeElector({
    ...{ transport: cluster.operator, namespace: cluster.namespace, name: "lease", identity, settings: SLOW },
    onStartedLeading: () => {
      leads.resolve(undefined);
      return new Promise((resolve) => stop.addEventListener("abort", () => resolve()));
    },
  });
  return { leads: leads.promise, ended: elector.run({ stop, force: cluster.end }) };
}

test("the lease of this name is taken, given back, and taken over by the watch", async () => {
  const [stopFirst, stopSecond] = [new AbortController(), new AbortController()];
  const first = stand("first", stopFirst.signal);
  await first.leads;
  const second = stand("second", stopSecond.signal);
  stopFirst.abort();
  expect(await first.ended).toBe("released");
  await second.leads;
  stopSecond.abort();
  expect(await second.ended).toBe("released");
});

test("an event that comes again is counted on the one that is there", async () => {
  const recorder = startRecorder(cluster);
  const about = { apiVersion: "v1", kind: "Namespace", name: cluster.namespace, namespace: cluster.namespace };
  const happening = { about, type: "Normal", reason: "Tested", action: "Test", note: "twice" } as const;
  recorder.record(happening);
  await eventually(
    () => eventsAbout(cluster, cluster.namespace),
    (events) => events.length === 1,
  );
  recorder.record(happening);
  const [event] = await eventually(
    () => eventsAbout(cluster, cluster.namespace),
    (events) => events.some((found) => "series" in found),
  );
  expect(event).toMatchObject({ reason: "Tested", series: { count: 2 } });
});

test.each([
  { what: "list Secrets", kind: SECRETS, act: "list" },
  { what: "read a ConfigMap that is not the quota", kind: CONFIG_MAPS, act: "get" },
  { what: "create a task", kind: TASKS, act: "create" },
] as const)("the operator has no right to $what", async ({ kind, act }) => {
  const resource = makeResource(cluster.operator, kind);
  const { namespace } = cluster;
  const tries = {
    list: async () => {
      for await (const object of resource.list({ namespace }, { signal: signal() }))
        throw new Error(object.metadata.name);
    },
    get: () => resource.get(`${namespace}/kube-root-ca.crt`, { signal: signal() }),
    create: () => resource.create({ metadata: { name: "x", namespace } }, { signal: signal() }),
  };
  await expect(tries[act]()).rejects.toMatchObject({ status: 403 });
});

test.each([
  { what: "tasks", kind: TASKS },
  { what: "providers", kind: PROVIDERS },
  { what: "grants", kind: GRANTS },
  { what: "namespaces", kind: NAMESPACES },
  { what: "the quota", kind: CONFIG_MAPS, fieldSelector: `metadata.name=${QUOTA_CONFIG_MAP}` },
  { what: "the lease", kind: LEASES, fieldSelector: "metadata.name=lease" },
])("$what can be listed, too, as an API server that streams no lists needs it", async ({ kind, fieldSelector }) => {
  const namespace = fieldSelector === undefined ? undefined : cluster.namespace;
  const list = makeResource(cluster.operator, kind).list({ namespace, fieldSelector }, { signal: signal() });
  const names: string[] = [];
  for await (const object of list) names.push(object.metadata.name);
  expect(names).toEqual(expect.any(Array));
});

test("a Secret of a namespace in which nobody allowed it can't be read, and the message says so", async () => {
  const secrets = makeSecrets({ resource: makeResource<SecretObject>(cluster.operator, SECRETS), clock: systemClock });
  expect(await secrets.read({ namespace: "default", name: "any", key: "any" }, signal())).toEqual({
    outcome: "forbidden",
    message: "cannot read Secret any in namespace default: the operator has no right to get Secrets there",
  });
});
