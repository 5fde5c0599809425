// One provider's life, in order: each test goes on from what the one before it left.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { QUOTA_CONFIG_MAP } from "../../../operator/kube/quota.ts";
import { wireProvider } from "../../unit/kube/objects.ts";
import { LIMIT_MS, eventually, signal } from "./fixture.ts";
import { conditionOf, makeProvidersWorld, type ProvidersWorld } from "./providers-world.ts";

let world: ProvidersWorld;

beforeAll(async () => {
  world = await makeProvidersWorld();
}, LIMIT_MS);

afterAll(async () => {
  await world.cluster.admin.providers.remove(world.name, { signal: signal() });
  await world.cluster.close();
}, LIMIT_MS);

const change = (mergePatch: object): Promise<unknown> =>
  world.cluster.admin.providers.patch(world.name, mergePatch, { signal: signal() });

test("a provider without its Secret is there, is not ready, and says what is missing", async () => {
  const object = { apiVersion: "genop.dev/v1alpha1", kind: "GenerationProvider", metadata: { name: world.name } };
  await world.cluster.admin.providers.create({ ...object, spec: wireProvider().spec }, { signal: signal() });

  const status = await world.becomes("CredentialsValid", "False SecretUnavailable");
  expect(conditionOf(status, "Ready")).toBe("False CredentialUnusable");
  expect(conditionOf(status, "QuotaValid")).toBe("True QuotaUnlimited");
  expect(status).toMatchObject({ observedGeneration: 1, inFlight: 3, waiting: 1 });
  const missing = `cannot read Secret acme in namespace ${world.cluster.namespace}: it does not exist`;
  expect(status.conditions?.[1]?.message).toBe(missing);
  expect(world.told.every((told) => told !== "removed" && told.state === "unusable" && told.spec)).toBe(true);
  expect(world.providers.ready().get(world.name)).toBe(false);
});

test("with its Secret it is in use, with the bare credential", async () => {
  await world.setSecret("first");
  await world.becomes("Ready", "True ProviderReady");
  expect(world.told.at(-1)).toMatchObject({ state: "usable", credential: "first" });
  expect(world.providers.ready().get(world.name)).toBe(true);
});

test("a pass that finds nothing new writes nothing and tells the registry nothing", async () => {
  const before = await world.status();
  const told = world.told.length;
  world.knobs.counts = { inFlight: 4, waiting: 1 };
  world.providers.controller.enqueue(world.name);
  const after = await eventually(
    () => world.status(),
    ({ inFlight }) => inFlight === 4,
  );
  expect(after.conditions).toEqual(before.conditions);

  world.providers.controller.enqueue(world.name);
  const { controller } = world.providers;
  await eventually(
    () => controller.depth() + controller.longestPassMs(),
    (busy) => busy === 0,
  );
  expect((await world.status()).resourceVersion).toBe(after.resourceVersion);
  expect(world.told).toHaveLength(told);
});

test("a rotated credential is taken over without a restart", async () => {
  await world.setSecret("second");
  await world.hasCredential("second");
  expect(conditionOf(await world.status(), "Ready")).toBe("True ProviderReady");
});

test("a credential that can't be sent is refused and not shown", async () => {
  await world.setSecret("third\n");
  const status = await world.becomes("CredentialsValid", "False CredentialMalformed");
  expect(JSON.stringify([status, world.memory.happenings])).not.toContain("third");
  await world.setSecret("fourth");
  await world.becomes("Ready", "True ProviderReady");
});

test("a lock-out is shown, and its end too", async () => {
  world.knobs.lockedOut = "status-402";
  await world.becomes("Ready", "False LockedOut");
  world.knobs.lockedOut = undefined;
  await world.becomes("CredentialsValid", "True CredentialRead");
});

test("what the registry can't use of a new spec is shown with the generation that it is about", async () => {
  world.knobs.problems = ["spec.http.query.state: unknown identifier at 1:4"];
  await change({ spec: { models: [{ name: "other", price: { perRequest: "1" } }] } });
  const status = await world.becomes("Ready", "False SpecUnusable");
  expect(status.observedGeneration).toBe(2);
  expect(status.conditions?.[0]?.message).toContain("unknown identifier at 1:4");

  world.knobs.problems = [];
  await change({ spec: { models: [{ name: "third", price: { perRequest: "1" } }] } });
  await world.becomes("Ready", "True ProviderReady");
});

test("a bad quota is shown on the provider at once, by the watch alone", async () => {
  const { cluster, name } = world;
  const metadata = { name: QUOTA_CONFIG_MAP, namespace: cluster.namespace };
  await cluster.admin.configMaps.create({ metadata, data: { [name]: "inFlight: 3" } }, { signal: signal() });
  const valid = async (): Promise<string> => conditionOf(await world.status(), "QuotaValid");
  await eventually(valid, (found) => found === "True QuotaLimited");

  const bad = { data: { [name]: "inFlight: many" } };
  await cluster.admin.configMaps.patch(`${cluster.namespace}/${QUOTA_CONFIG_MAP}`, bad, { signal: signal() });
  await eventually(valid, (found) => found === "False QuotaInvalid");
  expect(conditionOf(await world.status(), "Ready")).toBe("True ProviderReady");
  expect(world.quotas.admission(name, "m", "studio")).toMatchObject({ inFlight: 3 });
});

test("events have told each flip once", async () => {
  const told = await eventually(
    () => world.memory.reasons(),
    (reasons) => reasons.at(-1) === "Warning QuotaInvalid", // a status is there before its event is
  );
  expect(told).toEqual([
    "Warning SecretUnavailable",
    "Normal ProviderReady",
    "Normal CredentialRead",
    "Warning CredentialMalformed",
    "Normal ProviderReady",
    "Normal CredentialRead",
    "Warning LockedOut",
    "Normal ProviderReady",
    "Normal CredentialRead",
    "Warning SpecUnusable",
    "Normal ProviderReady",
    "Warning QuotaInvalid",
  ]);
});

test("a replica that may not report reads all the same, and writes nothing", async () => {
  world.knobs.mayReport = false;
  const { resourceVersion } = await world.status();
  await world.setSecret("fifth");
  await world.hasCredential("fifth");
  await world.cluster.admin.secrets.remove(`${world.cluster.namespace}/acme`, { signal: signal() });
  world.providers.controller.enqueue(world.name);
  await eventually(
    () => world.providers.ready().get(world.name),
    (ready) => ready === false,
  );
  expect((await world.status()).resourceVersion).toBe(resourceVersion);
});

test("a provider that is deleted is removed at once", async () => {
  await world.cluster.admin.providers.remove(world.name, { signal: signal() });
  await eventually(
    () => world.told.at(-1),
    (told) => told === "removed",
  );
  expect(world.providers.ready().has(world.name)).toBe(false);
});
