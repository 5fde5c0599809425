import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { join } from "node:path";
import { startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { startFleet } from "../operator/fleet.ts";
import { applyObjects, install } from "../operator/installation.ts";
import type { Installation } from "../operator/installation.ts";
import { sweepOnce } from "../operator/sweep.ts";
import { grantObject, namespaceObject, providerObjects, taskObject } from "../operator/tenancy.ts";
import { brokenBooks, keysBelow, wrongAssets } from "../operator/verdict.ts";
import { isSettled, watchTasks } from "../operator/watcher.ts";
import type { TaskWatcher } from "../operator/watcher.ts";
import { makeProviderAdmin } from "../provider/client.ts";
import { SubmitFault } from "../provider/schema/faultNames.ts";

const TASKS = 300;
/** Every tenth task goes through an account that gives nothing to look a job up with. */
const BLIND_EVERY = 10;
/** From the moment a process leads. Its standby leads a second later, and has two seconds to live as well. */
const KILL_AFTER_MS = 2000;
const LIMIT_MS = 1_200_000;
/** Set GENOP_SEED to repeat a run. */
const SEED = process.env.GENOP_SEED ?? String(Date.now());

const FAST = { submitSeconds: 2, querySeconds: 2, jobSeconds: 120, fetchSeconds: 20, connectSeconds: 2 };
const NO_HANDLE = { lookupByClientID: false, correlate: "None", cancel: "Request" };
/** One fleet, its leader always under the axe: a lease of a second makes the standby take over at once. */
const VARIABLES = { LEASE_DURATION_SECONDS: "1", LEASE_RENEW_DEADLINE_SECONDS: "0.8", LEASE_RETRY_SECONDS: "0.2" };

/** All ways in which a submit can go wrong; half of the submits go well. */
const submitFaults = SubmitFault.options.filter((fault) => fault !== "none");
/** They hold a task for half a minute, and then for a minute: each is met once, and the others are mixed. */
const LOCK_OUTS: readonly string[] = ["unauthorised", "no-credit"];
const SCHEDULE = {
  seed: SEED,
  submit: {
    none: submitFaults.length,
    ...Object.fromEntries(submitFaults.filter((fault) => !LOCK_OUTS.includes(fault)).map((fault) => [fault, 1])),
  },
  // Rare enough that no job meets seven of them in a row: the waits between tries double, and this is a test of kills.
  query: {
    none: 60,
    "server-error": 1,
    "html-502": 1,
    empty: 1,
    truncated: 1,
    reset: 1,
    "unknown-status": 1,
    "rate-limited": 1,
  },
  output: { none: 60, "truncated-length": 1, "reset-midway": 1, "server-error": 1, "expired-url": 1 },
};

let environment: Environment;
let installation: Installation;
let watcher: TaskWatcher;

beforeAll(async () => {
  environment = await startEnvironment();
  installation = await install(environment);
  watcher = await watchTasks(environment);
}, 120_000);

afterAll(async () => {
  await watcher.stop();
  await environment.stop();
});

const MODELS = ["sim-image", "sim-voice", "sim-video"] as const;

async function applyTasks(): Promise<void> {
  const providers = await providerObjects(environment, [
    { name: "simulated", spec: { timeouts: FAST } },
    { name: "blind", spec: { timeouts: FAST, capabilities: NO_HANDLE } },
  ]);
  const tasks = Array.from({ length: TASKS }, (_, index) =>
    taskObject({
      namespace: `tenant-${String(index % 3)}`,
      name: `task-${String(index).padStart(3, "0")}`,
      model: MODELS[index % MODELS.length] ?? MODELS[0],
      provider: index % BLIND_EVERY === 0 ? "blind" : "simulated",
      // Each fault once for sure; the schedule mixes them for all others.
      ...(index < submitFaults.length && { simulate: { submit: [submitFaults[index]] } }),
    }),
  );
  const tenants = [0, 1, 2].map((tenant) => `tenant-${String(tenant)}`);
  await applyObjects(environment, [...tenants.map(namespaceObject), ...providers]);
  await applyObjects(environment, [...tenants.map((tenant) => grantObject(tenant, "all", "1000")), ...tasks]);
}

test(
  `I1–I5, I8, I9: ${TASKS} tasks, every submit fault, and each leader killed after ${KILL_AFTER_MS} ms`,
  async () => {
    console.info(`seed ${SEED}`);
    const provider = makeProviderAdmin(environment.provider.adminUrl);
    await provider.schedule(SCHEDULE);
    await provider.config({ durationMs: 1500 });
    await applyTasks();

    const logFile = join(environment.folder, "logs", "operator.log");
    const fleet = startFleet(installation, {
      replicas: 2,
      leaderLivesMs: KILL_AFTER_MS,
      variables: VARIABLES,
      logFile,
    });
    try {
      const allSettled = (): boolean => watcher.all().length === TASKS && watcher.all().every(isSettled);
      await watcher.until("all tasks to settle", allSettled, AbortSignal.timeout(LIMIT_MS));
    } finally {
      await fleet.stop();
    }

    const tasks = watcher.all();
    const summary = await provider.summary();
    const phases = tasks.map(({ status }) => status?.phase);
    const count = (phase: string): number => phases.filter((one) => one === phase).length;
    console.info(
      `kills ${fleet.kills()}, jobs ${summary.jobsAccepted}, submits ${summary.submitsReceived}, succeeded ${count("Succeeded")}, failed ${count("Failed")}, in review ${count("NeedsReview")}`,
    );

    expect(summary.referencesPaidTwice).toEqual([]);
    expect(summary.referencesAcceptedTwice).toEqual([]);
    expect(await brokenBooks(installation)).toEqual({});
    // A dead process's last request may land after its successor had tidied up: the next sweep takes it.
    await sweepOnce(installation, logFile);
    expect(await keysBelow(environment, "staging/")).toEqual([]);
    expect(await wrongAssets(environment, provider, tasks)).toEqual([]);

    // "Sometimes": a run in which nothing interesting happened proves nothing.
    expect(fleet.kills()).toBeGreaterThanOrEqual(5);
    expect(count("Succeeded")).toBeGreaterThan(TASKS / 2);
    expect(count("NeedsReview")).toBeGreaterThan(0);
    expect(submitFaults.filter((fault) => !summary.faultsMet[fault])).toEqual([]);
  },
  LIMIT_MS + 120_000,
);
