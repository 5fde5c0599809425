// A cluster that was restored from an older snapshot of etcd, or another one on the same database, or with copied objects: nothing
// is submitted again, and what is in doubt waits for a person with a sentence that says why.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { only, startEnvironment } from "../env/environment.ts";
import { kubectl } from "../env/kubectl.ts";
import { applyObjects, install } from "../operator/installation.ts";
import { TENANT, furnish, limit, openScene } from "../operator/scene.ts";
import type { Scene } from "../operator/scene.ts";
import { brokenBooks } from "../operator/verdict.ts";
import { watchTasks } from "../operator/watcher.ts";
import type { SeenTask } from "../operator/watcher.ts";
import { withoutEtcd } from "../operator/without-etcd.ts";

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
}, 120_000);

afterAll(() => scene.close(), 60_000);

/** As it is in a backup of the objects: with its annotations, without what the API server keeps of it. */
function backedUp({ metadata, ...task }: SeenTask): object {
  const { annotations, name, namespace } = metadata;
  return { ...task, status: undefined, metadata: { annotations, name, namespace } };
}

test("I6: the cluster restored from an older snapshot of etcd: the books know better, and what is applied again is the same wish", async () => {
  const { environment, installation, provider } = scene;
  const data = join(environment.folder, "etcd");
  await scene.wish("early", { spec: { suspend: true } });
  await withoutEtcd(environment, () => cp(data, `${data}-snapshot`, { recursive: true }));

  const before = scene.start();
  const flying = { simulate: { durationMs: 60_000 }, spec: { idempotencyKey: "night-2" } };
  await scene.edit("early", { suspend: false });
  await scene.wish("later", { spec: { idempotencyKey: "night-1" } });
  await scene.wish("flying", flying);
  const early = await scene.become("early", "Succeeded");
  const later = await scene.become("later", "Succeeded");
  await scene.become("flying", "Polling");
  before.kill("SIGKILL");
  await before.ended;
  const made = await scene.submits();
  await withoutEtcd(environment, async () => {
    await rm(data, { recursive: true });
    await cp(`${data}-snapshot`, data, { recursive: true });
  });
  await scene.watchAnew();
  expect(scene.watcher().get(`${TENANT}/early`)?.status).toBeUndefined();
  expect(scene.watcher().get(`${TENANT}/later`)).toBeUndefined();

  const operator = scene.start();
  expect((await scene.become("early", "Succeeded")).status?.providerJobID).toBe(early.status?.providerJobID);
  await scene.wish("later", { spec: { idempotencyKey: "night-1" } });
  expect((await scene.become("later", "Succeeded")).status?.providerJobID).toBe(later.status?.providerJobID);
  await scene.wish("flying", flying);
  await scene.become("flying", "Polling");
  const [job = ""] = await scene.jobsOf("flying");
  await provider.finish(job);
  await scene.become("flying", "Succeeded");
  expect(await scene.submits()).toBe(made);
  await scene.wish("plain");
  await scene.become("plain", "Succeeded");
  expect(await brokenBooks(installation)).toEqual({});
  await operator.stop();
}, 240_000);

test("two clusters: one database serves one of them, and objects that were copied to another cluster are not submitted there", async () => {
  const { environment, installation } = scene;
  await scene.become("plain", "Succeeded");
  const [copied, moved] = [scene.watcher().get(`${TENANT}/plain`), scene.watcher().get(`${TENANT}/later`)];
  if (!copied || !moved) throw new Error("expected the tasks of the test before");
  const made = await scene.submits();
  const plane = await startEnvironment(only("controlPlane"));
  const { postgres, s3, provider: simulator } = environment;
  const other = Object.defineProperties(plane, {
    postgres: { get: () => postgres },
    s3: { get: () => s3 },
    provider: { get: () => simulator },
  });
  const elsewhere = await install(other);
  await furnish(other);
  const there = await watchTasks(other);
  const shared = { DATABASE_URL: installation.databaseUrl };
  try {
    const intruder = scene.start(shared, elsewhere);
    const told = await intruder.logged(({ event, what }) => event === "start.waiting" && what === "Postgres", limit());
    expect(JSON.stringify(told)).toMatch(/OTHER_INSTALLATION/);
    await intruder.stop();

    await applyObjects(other, [backedUp(copied)]);
    const own = scene.start({}, elsewhere);
    const parked = await scene.become("plain", "NeedsReview RecordMissing", there);
    expect(parked.status?.message).toMatch(/task-key annotation .* restored or copied/);
    await scene.edit("plain", { resolution: { attempt: 0, decision: "WriteOff" } }, other);
    await scene.become("plain", "Failed WrittenOff", there);
    await own.stop();

    await applyObjects(other, [backedUp(moved)]);
    const uid = await kubectl(environment, ["get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"]);
    const heir = scene.start({ ...shared, ADOPT_INSTALLATION_FROM: uid }, elsewhere);
    const adopted = await scene.become("later", "Succeeded", there);
    expect(adopted.status?.providerJobID).toBe(moved.status?.providerJobID);
    const old = scene.start();
    await old.logged(({ event, what }) => event === "start.waiting" && what === "Postgres", limit());
    await Promise.all([old.stop(), heir.stop()]);
    expect(await scene.submits()).toBe(made);
    expect(await brokenBooks(installation)).toEqual({});
  } finally {
    await there.stop();
    await plane.stop();
  }
}, 240_000);
