// Postgres and the cluster taken back to one and the same older moment: nothing is left that remembers what was submitted since. What
// the backup knows goes on with its job; what it does not know is submitted again, unless it was suspended before the start.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { TENANT, openScene } from "../operator/scene.ts";
import type { Scene } from "../operator/scene.ts";
import { brokenBooks } from "../operator/verdict.ts";
import { withoutEtcd } from "../operator/without-etcd.ts";

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
}, 120_000);

afterAll(() => scene.close(), 60_000);

const LONG = { simulate: { durationMs: 60_000 } };

test("I6: both stores restored to one moment: what the backup knows goes on with its job, and what was suspended is not paid for again", async () => {
  const { environment, installation, provider } = scene;
  const first = scene.start();
  await scene.wish("ended");
  await scene.wish("running", LONG);
  await scene.wish("doubtful", { provider: "blind", simulate: { submit: ["close-after"] } });
  const ended = await scene.become("ended", "Succeeded");
  const running = await scene.become("running", "Polling");
  await scene.become("doubtful", "NeedsReview SubmitUnresolved");
  await first.stop();
  await scene.wish("forgotten", LONG);
  await scene.wish("careful", LONG);

  const present = new URL(installation.databaseUrl);
  await environment.postgres.makeDatabase("restored", { template: present.pathname.slice(1) });
  const databaseUrl = Object.assign(new URL(present), { pathname: "/restored" }).href;
  const data = join(environment.folder, "etcd");
  await withoutEtcd(environment, () => cp(data, `${data}-snapshot`, { recursive: true }));
  await scene.watchAnew();

  const second = scene.start();
  await scene.become("forgotten", "Polling");
  await scene.become("careful", "Polling");
  second.kill("SIGKILL");
  await second.ended;
  const made = await scene.submits();
  await withoutEtcd(environment, async () => {
    await rm(data, { recursive: true });
    await cp(`${data}-snapshot`, data, { recursive: true });
  });
  await scene.watchAnew();
  for (const name of ["forgotten", "careful"]) {
    expect(scene.watcher().get(`${TENANT}/${name}`)?.status?.attempt).toBeUndefined();
  }

  await scene.edit("careful", { suspend: true });
  const third = scene.start({ DATABASE_URL: databaseUrl });
  await scene.become("forgotten", "Polling");
  await scene.become("careful", "Pending Suspended");
  expect(await scene.submits()).toBe(made + 1);
  expect([await scene.jobsOf("forgotten"), await scene.jobsOf("careful")]).toMatchObject([
    { length: 2 },
    { length: 1 },
  ]);

  expect((await scene.become("ended", "Succeeded")).status?.assets).toEqual(ended.status?.assets);
  const [job = ""] = await scene.jobsOf("running");
  expect((await scene.become("running", "Polling")).status?.providerJobID).toBe(running.status?.providerJobID);
  await provider.finish(job);
  await scene.become("running", "Succeeded");
  await scene.become("doubtful", "NeedsReview SubmitUnresolved");
  expect(await scene.submits()).toBe(made + 1);
  expect(await brokenBooks({ ...installation, databaseUrl })).toEqual({});
  await third.stop();
}, 240_000);
