// A leader that stands still in the middle of a pass, is followed, and goes on: what it then does must have no effect.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makePool } from "../../operator/postgres/pool.ts";
import { writeOrder } from "../crash/order.ts";
import type { Moment } from "../crash/order.ts";
import type { PortCall } from "../crash/port-calls.ts";
import { startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { applyObjects, install } from "../operator/installation.ts";
import type { Installation } from "../operator/installation.ts";
import { startOperator } from "../operator/process.ts";
import type { OperatorProcess } from "../operator/process.ts";
import { grantObject, namespaceObject, providerObjects, taskObject } from "../operator/tenancy.ts";
import { brokenBooks } from "../operator/verdict.ts";
import { watchTasks } from "../operator/watcher.ts";
import type { TaskWatcher } from "../operator/watcher.ts";
import { makeProviderAdmin } from "../provider/client.ts";

const TENANT = "studio";
const MAIN = join(import.meta.dirname, "..", "crash", "operator-main.ts");
const LIMIT_MS = 200_000;
/** A leader that stands still is followed a second later. */
const SHORT_LEASE = {
  LEASE_DURATION_SECONDS: "1",
  LEASE_RENEW_DEADLINE_SECONDS: "0.8",
  LEASE_RETRY_SECONDS: "0.2",
  LOG_LEVEL: "debug",
};
const LONG_LEASE = {
  LEASE_DURATION_SECONDS: "20",
  LEASE_RENEW_DEADLINE_SECONDS: "15",
  LEASE_RETRY_SECONDS: "0.2",
  LOG_LEVEL: "debug",
};
const QUICK = {
  timeouts: { connectSeconds: 1, submitSeconds: 1, querySeconds: 2, jobSeconds: 120, fetchSeconds: 20 },
  unknown: { settleSeconds: 1, misses: 2, patienceSeconds: 120 },
};

let environment: Environment;
let installation: Installation;
let watcher: TaskWatcher;
let ordersFolder: string;

beforeAll(async () => {
  environment = await startEnvironment();
  installation = await install(environment);
  ordersFolder = join(environment.folder, "orders");
  mkdirSync(ordersFolder);
  const providers = await providerObjects(environment, [{ name: "simulated", spec: QUICK }]);
  await applyObjects(environment, [namespaceObject(TENANT), ...providers]);
  await applyObjects(environment, [grantObject(TENANT, "first", "1000")]);
  watcher = await watchTasks(environment);
}, 120_000);

afterAll(async () => {
  await watcher.stop();
  await environment.stop();
});

function start(lease: Readonly<Record<string, string>>): OperatorProcess {
  const variables = { ...lease, GENOP_CRASH_FOLDER: ordersFolder };
  const logFile = join(environment.folder, "logs", "operator.log");
  return startOperator(installation, { variables, logFile, main: MAIN });
}

const limit = (): AbortSignal => AbortSignal.timeout(LIMIT_MS);

async function attemptsOf(name: string): Promise<readonly unknown[]> {
  const pool = makePool({ url: installation.databaseUrl, applicationName: "frozen", maxConnections: 1 });
  try {
    const { rows } = await pool.query<object>(
      `select a.* from genop.attempts a join genop.tasks t on t.key = a.task_key
        where t.namespace = $1 and t.name = $2 order by a.number`,
      [TENANT, name],
    );
    return rows;
  } finally {
    await pool.end();
  }
}

/** The leader freezes at the call, its successor brings the task to its end, and then the old one goes on until it ends. */
async function followed(name: string, call: PortCall, moment: Moment): Promise<{ readonly thawed: OperatorProcess }> {
  const key = `${TENANT}/${name}`;
  writeOrder(ordersFolder, key, { call, moment, pass: 1, signal: "SIGSTOP" });
  const frozen = start(SHORT_LEASE);
  await frozen.logged(({ event }) => event === "leader.started", limit());
  await applyObjects(environment, [taskObject({ namespace: TENANT, name, model: "sim-image" })]);
  const successor = start(LONG_LEASE);
  await successor.logged(({ event }) => event === "leader.started", limit());
  await watcher.until(`${key} to succeed`, () => watcher.get(key)?.status?.phase === "Succeeded", limit());

  const before = await attemptsOf(name);
  frozen.kill("SIGCONT");
  expect(await frozen.ended).toBe(1);
  await successor.stop();
  expect(await attemptsOf(name)).toEqual(before);
  return { thawed: frozen };
}

describe("I1, I8: a leader that stood still beyond its lease", () => {
  test("exactly between the mark and the wire: its submit does not leave any more", async () => {
    const { thawed } = await followed("before-the-wire", "client.submit", "before");
    const call = await thawed.logged(({ event }) => event === "provider.called", limit());
    expect(call).toMatchObject({ operation: "submit", outcome: "not-sent" });
    const { jobs, requests } = await makeProviderAdmin(environment.provider.adminUrl).record({
      reference: `${TENANT}/before-the-wire`,
    });
    expect(requests.filter(({ operation }) => operation === "submit")).toHaveLength(1);
    expect(jobs).toHaveLength(1);
  }, 240_000);

  test.each<{ readonly call: PortCall; readonly moment: Moment }>([
    { call: "client.submit", moment: "after" },
    { call: "books.end", moment: "before" },
  ])(
    "$moment $call: what it writes changes no row",
    async ({ call, moment }) => {
      const name = call.replace(".", "-").toLowerCase();
      await followed(name, call, moment);
      const { billed, jobs } = await makeProviderAdmin(environment.provider.adminUrl).record({
        reference: `${TENANT}/${name}`,
      });
      expect([jobs.length, billed.length]).toEqual([1, 1]);
      expect(await brokenBooks(installation)).toEqual({});
    },
    240_000,
  );
});
