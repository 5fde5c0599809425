// What must hold when a part of the world goes away for a while in the middle of work. One file of test/e2e for each part,
// so that they run beside each other: an outage is mostly waiting.
import { expect } from "@jest/globals";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { applyObjects, install } from "./installation.ts";
import type { Installation } from "./installation.ts";
import { startOperator } from "./process.ts";
import { sweepOnce } from "./sweep.ts";
import type { OperatorProcess } from "./process.ts";
import { grantObject, namespaceObject, providerObjects, taskObject } from "./tenancy.ts";
import { brokenBooks, keysBelow, wrongAssets } from "./verdict.ts";
import { watchTasks } from "./watcher.ts";
import type { TaskWatcher } from "./watcher.ts";
import { makeProviderAdmin } from "../provider/client.ts";

const TASKS = 50;
/** How long a part is away. This is what is tested, not a wait for something. */
const OUTAGE_MS = 20_000;
const LIMIT_MS = 200_000;
const VARIABLES = { LEASE_DURATION_SECONDS: "4", LEASE_RENEW_DEADLINE_SECONDS: "3", LEASE_RETRY_SECONDS: "0.5" };

/** With the environment, and all the waiting. */
export const OUTAGE_TEST_MS = LIMIT_MS + 120_000;

type PartName = Parameters<Environment["part"]>[0];

/** Fifty tasks, the parts away for 20 s in the middle, and nothing lost, paid twice or left behind. */
export async function surviveOutage(parts: readonly PartName[]): Promise<void> {
  const environment = await startEnvironment();
  const installation = await install(environment);
  const watcher = await watchTasks(environment);
  const logFile = join(environment.folder, "logs", "operator.log");
  const supervisor = supervise(() => startOperator(installation, { variables: VARIABLES, logFile }));
  try {
    await workThrough({ environment, watcher }, parts);
    await supervisor.stop();
    await sweepOnce(installation, logFile);
    await judge({ environment, watcher }, installation);
  } finally {
    await supervisor.stop();
    await watcher.stop();
    await environment.stop();
  }
}

interface Scene {
  readonly environment: Environment;
  readonly watcher: TaskWatcher;
}

async function workThrough({ environment, watcher }: Scene, parts: readonly PartName[]): Promise<void> {
  const succeeded = (): number => watcher.all().filter(({ status }) => status?.phase === "Succeeded").length;
  const limit = AbortSignal.timeout(LIMIT_MS);
  const simulated = await providerObjects(environment, [{ name: "simulated" }]);
  await applyObjects(environment, [namespaceObject("studio"), ...simulated]);
  const tasks = Array.from({ length: TASKS }, (_, index) => {
    const simulate = { durationMs: 500 + 300 * index };
    return taskObject({ namespace: "studio", name: `task-${String(index)}`, model: "sim-image", simulate });
  });
  await applyObjects(environment, [grantObject("studio", "all", "1000"), ...tasks]);
  await watcher.until("some tasks to succeed", () => succeeded() >= 5, limit);
  expect(succeeded()).toBeLessThan(TASKS);

  await Promise.all(parts.map((part) => environment.part(part).stop()));
  await pause(OUTAGE_MS);
  await Promise.all(parts.map((part) => environment.part(part).start()));

  await watcher.until("all tasks to succeed", () => succeeded() === TASKS, limit);
}

async function judge({ environment, watcher }: Scene, installation: Installation): Promise<void> {
  const provider = makeProviderAdmin(environment.provider.adminUrl);
  const { referencesAcceptedTwice, referencesPaidTwice } = await provider.summary();
  expect(referencesPaidTwice).toEqual([]);
  expect(referencesAcceptedTwice).toEqual([]);
  expect(await brokenBooks(installation)).toEqual({});
  expect(await keysBelow(environment, "staging/")).toEqual([]);
  expect(await wrongAssets(environment, provider, watcher.all())).toEqual([]);
}

/** What a kubelet does: a process that ends by itself (its lease is lost while the API server is away) is started again. */
function supervise(start: () => OperatorProcess): { readonly stop: () => Promise<void> } {
  let isStopping = false;
  let current = start();
  const watch = async (): Promise<void> => {
    await current.ended;
    if (isStopping) return;
    current = start();
    void watch();
  };
  void watch();
  return {
    stop: async () => {
      isStopping = true;
      await current.stop();
    },
  };
}
