// A leader that stands still in the middle of a pass, is followed, and goes on: what it then does must have no effect.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makePool } from "../../operator/postgres/pool.ts";
import { writeOrder } from "../crash/order.ts";
import type { Order } from "../crash/order.ts";
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
import type { ProviderAdmin } from "../provider/client.ts";

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
  const patient = { ...QUICK, unknown: { ...QUICK.unknown, settleSeconds: 60 } };
  const providers = await providerObjects(environment, [
    { name: "simulated", spec: QUICK },
    { name: "patient", spec: patient },
  ]);
  await applyObjects(environment, [namespaceObject(TENANT), ...providers]);
  await applyObjects(environment, [grantObject(TENANT, "first", "1000")]);
  watcher = await watchTasks(environment);
}, 120_000);

afterAll(async () => {
  await watcher.stop();
  await environment.stop();
}, 60_000);

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

interface Frozen {
  readonly key: string;
  readonly leader: OperatorProcess;
  readonly successor: OperatorProcess;
}

/** The leader freezes at the point of this task, and its successor leads. */
async function freeze(name: string, at: Pick<Order, "call" | "moment">, provider = "simulated"): Promise<Frozen> {
  const key = `${TENANT}/${name}`;
  writeOrder(ordersFolder, key, { ...at, pass: 1, signal: "SIGSTOP" });
  const leader = start(SHORT_LEASE);
  await leader.logged(({ event }) => event === "leader.started", limit());
  await applyObjects(environment, [taskObject({ namespace: TENANT, name, model: "sim-image", provider })]);
  const successor = start(LONG_LEASE);
  await successor.logged(({ event }) => event === "leader.started", limit());
  return { key, leader, successor };
}

/** The frozen leader goes on, until it ends of having lost its lease. */
async function thaw({ leader }: Frozen): Promise<void> {
  leader.kill("SIGCONT");
  expect(await leader.ended).toBe(1);
}

async function inPhase({ key }: Frozen, phase: string): Promise<void> {
  await watcher.until(`${key} to be ${phase}`, () => watcher.get(key)?.status?.phase === phase, limit());
}

const recordOf = ({ key }: Frozen): ReturnType<ProviderAdmin["record"]> =>
  makeProviderAdmin(environment.provider.adminUrl).record({ reference: key });

describe("I1, I8: a leader that stood still beyond its lease", () => {
  test("between the mark and the wire: its submit does not leave any more, and it changes no row", async () => {
    const frozen = await freeze("before-the-wire", { call: "client.submit", moment: "before" });
    await inPhase(frozen, "Succeeded");
    const before = await attemptsOf("before-the-wire");
    await thaw(frozen);
    const call = await frozen.leader.logged(({ event }) => event === "provider.called", limit());
    expect(call).toMatchObject({ operation: "submit", outcome: "not-sent" });
    expect(await attemptsOf("before-the-wire")).toEqual(before);
    const { jobs, requests } = await recordOf(frozen);
    expect(requests.filter(({ operation }) => operation === "submit")).toHaveLength(1);
    expect(jobs).toHaveLength(1);
    await frozen.successor.stop();
  }, 240_000);

  test("before the transaction that ends the attempt: it changes no row, and nothing is settled twice", async () => {
    const frozen = await freeze("before-the-end", { call: "books.end", moment: "before" });
    await inPhase(frozen, "Succeeded");
    const before = await attemptsOf("before-the-end");
    await thaw(frozen);
    expect(await attemptsOf("before-the-end")).toEqual(before);
    expect((await recordOf(frozen)).billed).toHaveLength(1);
    expect(await brokenBooks(installation)).toEqual({});
    await frozen.successor.stop();
  }, 240_000);

  test("in the last instant before the first byte, for less than the settle delay: the late job is found", async () => {
    const frozen = await freeze("late", { call: "wire", moment: "before" }, "patient");
    await inPhase(frozen, "SubmitUnknown");
    await thaw(frozen);
    await inPhase(frozen, "Succeeded");
    expect((await recordOf(frozen)).jobs).toHaveLength(1);
    expect(watcher.get(frozen.key)?.status?.attempt).toBe(1);
    await frozen.successor.stop();
  }, 240_000);

  test("in that instant, for longer than the settle delay: a second job, as docs/safety.md says, and the books balance", async () => {
    const frozen = await freeze("too-late", { call: "wire", moment: "before" });
    await inPhase(frozen, "Succeeded");
    const before = await attemptsOf("too-late");
    await thaw(frozen);
    expect(await attemptsOf("too-late")).toEqual(before);
    expect((await recordOf(frozen)).jobs).toHaveLength(2);
    expect(await brokenBooks(installation)).toEqual({});
    await frozen.successor.stop();
  }, 240_000);
});
