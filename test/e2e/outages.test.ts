import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { applyObjects, install } from "../operator/installation.ts";
import type { Installation } from "../operator/installation.ts";
import { startOperator } from "../operator/process.ts";
import { sweepOnce } from "../operator/sweep.ts";
import type { OperatorProcess } from "../operator/process.ts";
import { grantObject, namespaceObject, providerObjects, taskObject } from "../operator/tenancy.ts";
import { brokenBooks, keysBelow, wrongAssets } from "../operator/verdict.ts";
import { watchTasks } from "../operator/watcher.ts";
import type { SeenTask, TaskWatcher } from "../operator/watcher.ts";
import { makeProviderAdmin } from "../provider/client.ts";

const TASKS = 50;
/** How long a part is away. This is what is tested, not a wait for something. */
const OUTAGE_MS = 20_000;
const LIMIT_MS = 150_000;
const VARIABLES = { LEASE_DURATION_SECONDS: "4", LEASE_RENEW_DEADLINE_SECONDS: "3", LEASE_RETRY_SECONDS: "0.5" };

let environment: Environment;
let installation: Installation;
let watcher: TaskWatcher;

beforeAll(async () => {
  environment = await startEnvironment();
  installation = await install(environment);
  await applyObjects(environment, [
    namespaceObject("studio"),
    ...(await providerObjects(environment, [{ name: "simulated" }])),
  ]);
  await applyObjects(environment, [grantObject("studio", "all", "1000")]);
  watcher = await watchTasks(environment);
}, 120_000);

afterAll(async () => {
  await watcher.stop();
  await environment.stop();
});

const OUTAGES = [["postgres"], ["kube-apiserver"], ["s3", "provider"]] as const;

test.each(OUTAGES.map((parts) => ({ parts, names: parts.join(" and ") })))(
  "$names away for 20 s in the middle of 50 tasks delays work and loses nothing",
  async ({ parts }) => {
    const prefix = `while-${parts.join("-")}`;
    const mine = (): readonly SeenTask[] => watcher.all().filter(({ metadata }) => metadata.name.startsWith(prefix));
    const succeeded = (): number => mine().filter(({ status }) => status?.phase === "Succeeded").length;
    const limit = AbortSignal.timeout(LIMIT_MS);
    const logFile = join(environment.folder, "logs", `operator-${parts.join("-")}.log`);
    const supervisor = supervise(() => startOperator(installation, { variables: VARIABLES, logFile }));

    const tasks = Array.from({ length: TASKS }, (_, index) =>
      taskObject({
        namespace: "studio",
        name: `${prefix}-${String(index)}`,
        model: "sim-image",
        simulate: { durationMs: 500 + 300 * index },
      }),
    );
    await applyObjects(environment, tasks);
    await watcher.until("some tasks to succeed", () => succeeded() >= 5, limit);
    expect(succeeded()).toBeLessThan(TASKS);

    await Promise.all(parts.map((part) => environment.part(part).stop()));
    await pause(OUTAGE_MS);
    await Promise.all(parts.map((part) => environment.part(part).start()));

    await watcher.until("all tasks to succeed", () => succeeded() === TASKS, limit);
    await supervisor.stop();
    const provider = makeProviderAdmin(environment.provider.adminUrl);
    const { referencesAcceptedTwice, referencesPaidTwice } = await provider.summary();
    expect(referencesPaidTwice).toEqual([]);
    expect(referencesAcceptedTwice).toEqual([]);
    expect(await brokenBooks(installation)).toEqual({});
    await sweepOnce(installation, logFile);
    expect(await keysBelow(environment, "staging/")).toEqual([]);
    expect(await wrongAssets(environment, provider, mine())).toEqual([]);
  },
  LIMIT_MS + 60_000,
);

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
