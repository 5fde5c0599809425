// Postgres that was restored from an older backup: nothing is submitted again, and whatever it has forgotten waits for a person.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openScene } from "../operator/scene.ts";
import type { Scene } from "../operator/scene.ts";
import { brokenBooks } from "../operator/verdict.ts";

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
}, 120_000);

afterAll(() => scene.close(), 60_000);

test("I6: Postgres restored from an older backup: what it forgot is parked, what had ended stays, and a job can be bound", async () => {
  const { environment, installation, provider } = scene;
  let operator = scene.start();
  await scene.wish("before");
  await scene.wish("suspended", { spec: { suspend: true } });
  await scene.wish("known", { simulate: { durationMs: 60_000 } });
  await scene.become("before", "Succeeded");
  const known = await scene.become("known", "Polling");
  await scene.become("suspended", "Pending Suspended");
  await operator.stop();
  const present = new URL(installation.databaseUrl);
  await environment.postgres.makeDatabase("restored", { template: present.pathname.slice(1) });
  const restored = Object.assign(new URL(present), { pathname: "/restored" }).href;

  operator = scene.start();
  await scene.wish("after");
  await scene.wish("running", { simulate: { durationMs: 60_000 } });
  await scene.wish("lost", { provider: "blind", simulate: { submit: ["close-after"] } });
  await scene.become("after", "Succeeded");
  const running = await scene.become("running", "Polling");
  await scene.become("lost", "NeedsReview SubmitUnresolved");
  operator.kill("SIGKILL");
  await operator.ended;
  const made = await scene.submits();

  operator = scene.start({ DATABASE_URL: restored });
  const parked = await scene.become("running", "NeedsReview RecordMissing");
  expect(parked.status).toMatchObject({ attempt: 1, providerJobID: running.status?.providerJobID });
  expect(parked.status?.message).toMatch(/database .* restored or swapped/);
  await scene.become("lost", "NeedsReview RecordMissing");
  expect((await scene.become("known", "Polling")).status?.providerJobID).toBe(known.status?.providerJobID);
  await scene.edit("suspended", { suspend: false });
  await scene.become("suspended", "Succeeded");
  expect(await scene.submits()).toBe(made + 1);
  expect((await scene.become("after", "Succeeded")).status?.assets).toHaveLength(1);

  const [job = ""] = await scene.jobsOf("running");
  await scene.edit("running", { resolution: { attempt: 1, decision: "BindJob", jobID: job } });
  await scene.become("running", "Polling");
  await provider.finish(job);
  await scene.become("running", "Succeeded");
  expect(await scene.jobsOf("running")).toEqual([job]);
  expect(await brokenBooks({ ...installation, databaseUrl: restored })).toEqual({});
  await operator.stop();
}, 240_000);
