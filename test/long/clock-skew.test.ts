// No decision depends on the operator's own clock: a leader an hour ahead dies, and one an hour behind goes on with its work.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { join } from "node:path";
import { startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { applyObjects, install } from "../operator/installation.ts";
import type { Installation } from "../operator/installation.ts";
import { startOperator } from "../operator/process.ts";
import type { OperatorProcess } from "../operator/process.ts";
import { grantObject, namespaceObject, providerObjects, taskObject } from "../operator/tenancy.ts";
import { brokenBooks, wrongAssets } from "../operator/verdict.ts";
import { isSettled, watchTasks } from "../operator/watcher.ts";
import type { SeenTask, TaskWatcher } from "../operator/watcher.ts";
import { makeProviderAdmin } from "../provider/client.ts";

const TENANT = "studio";
const SHIFTED_CLOCK = import.meta.resolve("../operator/shifted-clock.ts");
const HOUR_MS = 3_600_000;
const LIMIT_MS = 200_000;
/** Far less than the shift, far more than a busy machine takes. */
const ABOUT_NOW_MS = 20 * 60_000;
const LEASE_TIMES = {
  LEASE_DURATION_SECONDS: "2",
  LEASE_RENEW_DEADLINE_SECONDS: "1.5",
  LEASE_RETRY_SECONDS: "0.3",
};
const QUICK = {
  timeouts: { connectSeconds: 1, submitSeconds: 1, querySeconds: 2, jobSeconds: 120, fetchSeconds: 20 },
  unknown: { settleSeconds: 2, misses: 2, patienceSeconds: 60 },
};

/** What each of them waits for is a time: a deadline, a settle delay, a Retry-After, the next poll, the end of a URL. */
const WISHES = [
  { name: "plain", ends: "Succeeded AssetsPublished" },
  { name: "lost", simulate: { submit: ["close-after"] }, ends: "Succeeded AssetsPublished" },
  { name: "absent", simulate: { submit: ["close-before"] }, ends: "Succeeded AssetsPublished" },
  { name: "silent", simulate: { submit: ["silence-after"] }, ends: "Succeeded AssetsPublished" },
  { name: "throttled", simulate: { submit: ["rate-limited-header"] }, ends: "Succeeded AssetsPublished" },
  { name: "slow", simulate: { durationMs: 4000 }, ends: "Succeeded AssetsPublished" },
  {
    name: "overdue",
    simulate: { durationMs: 60_000 },
    spec: { activeDeadlineSeconds: 4 },
    ends: "Failed DeadlineExceeded",
  },
  {
    name: "in-time",
    simulate: { durationMs: 500 },
    spec: { activeDeadlineSeconds: 600 },
    ends: "Succeeded AssetsPublished",
  },
] as const;

let environment: Environment;
let installation: Installation;
let watcher: TaskWatcher;

beforeAll(async () => {
  environment = await startEnvironment();
  installation = await install(environment);
  const providers = await providerObjects(environment, [{ name: "simulated", spec: QUICK }]);
  await applyObjects(environment, [namespaceObject(TENANT), ...providers]);
  await applyObjects(environment, [grantObject(TENANT, "first", "1000")]);
  watcher = await watchTasks(environment);
}, 120_000);

afterAll(async () => {
  await watcher.stop();
  await environment.stop();
}, 60_000);

function start(shiftMs: number): OperatorProcess {
  const shifted = { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, GENOP_CLOCK_SHIFT_MS: String(shiftMs) };
  const variables = { ...LEASE_TIMES, ...shifted };
  return startOperator(installation, { variables, logFile: join(environment.folder, "logs", "operator.log") });
}

async function wishAll(when: string): Promise<void> {
  const tasks = WISHES.map((wish) =>
    taskObject({ model: "sim-image", ...wish, namespace: TENANT, name: `${wish.name}-${when}` }),
  );
  await applyObjects(environment, tasks);
}

const endOf = ({ metadata, status }: SeenTask): string =>
  `${metadata.name} ${String(status?.phase)} ${String(status?.reason)}`;

/** Every moment that a status names. */
function momentsOf({ status }: SeenTask): readonly number[] {
  return [...JSON.stringify(status).matchAll(/"(\d{4}-\d\d-\d\dT[^"]+)"/g)].map(([, text = ""]) => Date.parse(text));
}

test("an hour ahead, dead, and an hour behind: the same ends, and every moment told is the database's", async () => {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const ahead = start(HOUR_MS);
  const first = await ahead.logged(({ event }) => event === "leader.started", limit);
  expect(Date.parse(String(first.time)) - Date.now()).toBeGreaterThan(HOUR_MS / 2);
  await wishAll("ahead");
  await watcher.until(
    "all to settle",
    () => watcher.all().length === WISHES.length && watcher.all().every(isSettled),
    limit,
  );

  await wishAll("behind");
  const isUnderWay = (): boolean => watcher.all().some(({ status }) => status?.phase === "SubmitUnknown");
  await watcher.until("some to be under way", isUnderWay, limit);
  const behind = start(-HOUR_MS);
  ahead.kill("SIGKILL");
  await watcher.until(
    "all to settle",
    () => watcher.all().length === 2 * WISHES.length && watcher.all().every(isSettled),
    limit,
  );
  await behind.stop();

  const expected = ["ahead", "behind"].flatMap((when) => WISHES.map(({ ends, name }) => `${name}-${when} ${ends}`));
  expect(watcher.all().map(endOf).sort()).toEqual(expected.sort());
  const provider = makeProviderAdmin(environment.provider.adminUrl);
  expect((await provider.summary()).referencesAcceptedTwice).toEqual([]);
  expect(await brokenBooks(installation)).toEqual({});
  expect(await wrongAssets(environment, provider, watcher.all())).toEqual([]);
  const off = watcher
    .all()
    .flatMap(momentsOf)
    .map((moment) => Math.abs(moment - Date.now()));
  expect(off.length).toBeGreaterThan(2 * WISHES.length);
  expect(Math.max(...off)).toBeLessThan(ABOUT_NOW_MS);
}, 240_000);
