import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { GRANT_KEY_ANNOTATION, slimGrant, type WireGrant } from "../../../operator/kube/grant-object.ts";
import { makeGrantsController, type Grant, type GrantOutcome } from "../../../operator/kube/grants-controller.ts";
import { GRANTS } from "../../../operator/kube/kinds.ts";
import type { Controller } from "../../../operator/runtime/controller.ts";
import { makeReflector } from "../../../operator/runtime/reflector.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { GrantStatus } from "../../../operator/task/grant-resource.ts";
import { LIMIT_MS, eventually, makeCluster, makeMemory, signal, type Cluster } from "./fixture.ts";

let cluster: Cluster;
let controller: Controller;
const memory = makeMemory();
const ledger = new Map<string, Grant>();
const asked: string[] = [];
const woken: string[] = [];
let failNext = false;
let refuse = false;

/** A ledger that knows a key by its UID, as the real one does. */
function applyGrant(grant: Grant): Promise<GrantOutcome> {
  asked.push(grant.uid);
  if (failNext) {
    failNext = false;
    ledger.set(grant.uid, grant); // booked, and the answer is lost
    return Promise.reject(new Error("the connection was lost"));
  }
  if (refuse) return Promise.resolve({ outcome: "refused", message: "the amount is another one" });
  ledger.set(grant.uid, grant);
  return Promise.resolve({ outcome: "applied", transactionId: `tx-${grant.uid}` });
}

beforeAll(async () => {
  cluster = await makeCluster();
  const { operator: transport, namespace, end } = cluster;
  const reflector = makeReflector<WireGrant>({ transport, kind: GRANTS, namespace, transform: slimGrant });
  controller = makeGrantsController({
    ...{ reflector, applyGrant, recorder: memory },
    resource: makeResource<WireGrant>(transport, GRANTS),
    onApplied: (applied) => woken.push(applied),
  });
  void reflector.run(end);
  await reflector.whenSynced(signal());
  void controller.run({ stop: end, force: end });
}, LIMIT_MS);

afterAll(() => cluster.close(), LIMIT_MS);

const keyOf = (name: string): string => `${cluster.namespace}/${name}`;

async function create(name: string, over: { annotations?: Record<string, string> } = {}): Promise<WireGrant> {
  const metadata = { name, namespace: cluster.namespace, ...over };
  const spec = { credits: "2.5", reason: name };
  return cluster.admin.grants.create(
    { apiVersion: "genop.dev/v1alpha1", kind: "CreditGrant", metadata, spec },
    { signal: signal() },
  );
}

const live = async (name: string): Promise<WireGrant & { readonly read: GrantStatus }> => {
  const object = await cluster.admin.grants.get(keyOf(name), { signal: signal() });
  if (!object) throw new Error(`${name} is gone`);
  return { ...object, read: GrantStatus.parse(object.status ?? {}) };
};

const applied = (name: string): Promise<WireGrant & { readonly read: GrantStatus }> =>
  eventually(
    () => live(name),
    ({ read }) => read.applied === true,
  );

async function idle(): Promise<void> {
  await eventually(
    () => controller.depth() + controller.longestPassMs(),
    (busy) => busy === 0,
  );
}

test("a grant is booked once, under its UID, and says so", async () => {
  const { metadata } = await create("october");
  const { read, metadata: now } = await applied("october");
  expect(read).toMatchObject({ applied: true, transactionID: `tx-${metadata.uid}`, observedGeneration: 1 });
  expect(read.conditions).toMatchObject([{ type: "Applied", status: "True", reason: "GrantApplied" }]);
  expect(ledger.get(metadata.uid ?? "")).toEqual({
    uid: metadata.uid,
    namespace: cluster.namespace,
    amount: 2_500_000n,
    reason: "october",
  });
  expect(now.annotations?.[GRANT_KEY_ANNOTATION]).toBe(`${cluster.namespace}/october/${metadata.uid}`);
  expect(woken).toEqual([cluster.namespace]);
  await idle(); // what we see of the object may be there before the pass has heard so
  expect(memory.reasons()).toEqual(["Normal GrantApplied"]);

  const before = asked.length;
  controller.enqueue(keyOf("october"));
  await idle();
  expect(asked).toHaveLength(before);
  expect((await live("october")).metadata.resourceVersion).toBe(now.resourceVersion);
});

test("when the answer of the ledger is lost, the same key is asked for again", async () => {
  failNext = true;
  const { metadata } = await create("lost");
  await applied("lost");
  expect(asked.filter((uid) => uid === metadata.uid)).toHaveLength(2);
  expect([...ledger.values()].filter(({ reason }) => reason === "lost")).toHaveLength(1);
});

test("when its status is wiped, the ledger is asked under the same key", async () => {
  const { metadata } = await live("october");
  await cluster.admin.grants.patchStatus(keyOf("october"), { status: null }, { signal: signal() });
  await applied("october");
  expect(asked.filter((uid) => uid === metadata.uid)).toHaveLength(2);
});

test("an object restored from a backup under a new UID is the same grant", async () => {
  const { metadata: first } = await live("october");
  await cluster.admin.grants.remove(keyOf("october"), { signal: signal() });
  const { metadata: second } = await create("october", { annotations: { ...first.annotations } });
  expect(second.uid).not.toBe(first.uid);
  const { read } = await applied("october");
  expect(read.transactionID).toBe(`tx-${first.uid}`);
  expect(asked).not.toContain(second.uid);
});

test("a copy under another name is a grant of its own", async () => {
  const { metadata: first } = await live("october");
  const { metadata: copy } = await create("november", { annotations: { ...first.annotations } });
  const { read, metadata } = await applied("november");
  expect(read.transactionID).toBe(`tx-${copy.uid}`);
  expect(metadata.annotations?.[GRANT_KEY_ANNOTATION]).toBe(`${cluster.namespace}/november/${copy.uid}`);
});

test("a refusal of the ledger is shown, and wakes nobody", async () => {
  refuse = true;
  woken.length = 0;
  await create("refused");
  const { read } = await eventually(
    () => live("refused"),
    ({ read: status }) => status.applied === false,
  );
  refuse = false;
  expect(read.conditions).toMatchObject([
    { status: "False", reason: "GrantRefused", message: "the amount is another one" },
  ]);
  expect(woken).toEqual([]);
  // The ledger would take it by now. The person was told to make another one: both would give.
  await idle();
  const before = asked.length;
  controller.enqueue(keyOf("refused"));
  await idle();
  expect([asked.length, (await live("refused")).read.applied]).toEqual([before, false]);
});
