// Four shards on three replicas while tasks run: one joins, one leaves in order, one is killed.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { makePool } from "../../operator/postgres/pool.ts";
import { shardOf } from "../../operator/runtime/shards.ts";
import { startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { NAMES, applyObjects, install } from "../operator/installation.ts";
import type { Installation } from "../operator/installation.ts";
import { startReplica, toldBy, watchLeases } from "../operator/replicas.ts";
import type { LeaseWatcher, Replica } from "../operator/replicas.ts";
import { grantObject, namespaceObject, providerObjects, quotaObject, taskObject } from "../operator/tenancy.ts";
import { brokenBooks } from "../operator/verdict.ts";
import { isSettled, watchTasks } from "../operator/watcher.ts";
import type { TaskWatcher } from "../operator/watcher.ts";
import { makeProviderAdmin } from "../provider/client.ts";

const SHARDS = 4;
const TASKS = 60;
const LIMIT_MS = 120_000;
/** Jobs at the provider, over all replicas. */
const IN_FLIGHT = 10;
const VARIABLES = {
  SHARDS: String(SHARDS),
  LEASE_DURATION_SECONDS: "8",
  LEASE_RENEW_DEADLINE_SECONDS: "6.5",
  LEASE_RETRY_SECONDS: "0.5",
  DRAIN_SECONDS: "5",
};

let environment: Environment;
let installation: Installation;
let tasks: TaskWatcher;
let leases: LeaseWatcher;
const replicas: Replica[] = [];

beforeAll(async () => {
  environment = await startEnvironment();
  installation = await install(environment, { ...NAMES, sharded: true });
  [tasks, leases] = await Promise.all([watchTasks(environment), watchLeases(installation, SHARDS)]);
}, LIMIT_MS);

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await tasks.stop();
  await leases.stop();
  await environment.stop();
});

function start(name: string): Replica {
  const replica = startReplica(installation, name, VARIABLES);
  replicas.push(replica);
  return replica;
}

const limit = (): AbortSignal => AbortSignal.timeout(LIMIT_MS);
const settled = (): number => tasks.all().filter(isSettled).length;

/** Each of these holds its share, and nobody else holds any. */
function sharedOut(...names: readonly string[]): Promise<void> {
  return leases.until(
    `shards of ${names.join()}`,
    () => {
      const loads = names.map((name) => leases.holders().filter((holder) => holder === name).length);
      const sum = loads.reduce((one, other) => one + other, 0);
      return sum === SHARDS && Math.max(...loads) - Math.min(...loads) <= 1;
    },
    limit(),
  );
}

async function applyAll(): Promise<void> {
  const names = Array.from({ length: TASKS }, (_, index) => `task-${String(index).padStart(2, "0")}`);
  const tenants = ["studio", "gallery"];
  const wishes = names.map((name, i) => taskObject({ namespace: tenants[i % 2] ?? "", name, model: "sim-image" }));
  const quota = quotaObject({ simulated: JSON.stringify({ inFlight: IN_FLIGHT }) });
  const providers = await providerObjects(environment, [{ name: "simulated" }]);
  await applyObjects(environment, [...tenants.map(namespaceObject), quota, ...providers]);
  await applyObjects(environment, wishes);
  // Last: what waits for credits in one process is woken by what another one books.
  await applyObjects(
    environment,
    tenants.map((tenant) => grantObject(tenant, "all", "1000")),
  );
}

interface Written {
  readonly task_key: string;
  readonly epoch: string;
}

/** Which term wrote what for which task, in the order of writing: holds and their ends, and submits. */
async function writes(): Promise<readonly Written[]> {
  const pool = makePool({ url: installation.databaseUrl, applicationName: "verdict", maxConnections: 1 });
  try {
    const { rows } = await pool.query<Written>(
      `select attempt.task_key, written.epoch::text
         from (select business_id as attempt_id, epoch, posted_at as at from genop.ledger_transactions where operation <> 'grant'
               union all select attempt_id::text, epoch, started_at from genop.calls) written
         join genop.attempts attempt on attempt.id::text = written.attempt_id
        order by written.at`,
    );
    return rows;
  } finally {
    await pool.end();
  }
}

/** The object of each key: a shard is one of objects. */
async function objectKeys(): Promise<ReadonlyMap<string, string>> {
  const pool = makePool({ url: installation.databaseUrl, applicationName: "verdict", maxConnections: 1 });
  try {
    const { rows } = await pool.query<{ key: string; object: string }>(
      "select key, namespace || '/' || name as object from genop.tasks",
    );
    return new Map(rows.map(({ key, object }) => [key, object]));
  } finally {
    await pool.end();
  }
}

test(`I8: ${TASKS} tasks in ${SHARDS} shards, while a replica joins, one leaves and one is killed`, async () => {
  const provider = makeProviderAdmin(environment.provider.adminUrl);
  await provider.config({ durationMs: 1000 });
  const [first, second] = [start("first"), start("second"), start("third")];
  await applyAll();
  await sharedOut("first", "second", "third");
  start("fourth");
  await sharedOut("first", "second", "third", "fourth");
  expect(await first.stop()).toBe(0);
  await sharedOut("second", "third", "fourth");
  second.kill();
  await sharedOut("third", "fourth");
  const before = settled();
  await tasks.until("all tasks to end", () => settled() === TASKS && tasks.all().length === TASKS, limit());
  console.info(`ended before all had moved: ${before}`);

  expect(tasks.all().filter(({ status }) => status?.phase !== "Succeeded")).toEqual([]);
  const summary = await provider.summary();
  expect([summary.referencesPaidTwice, summary.referencesAcceptedTwice]).toEqual([[], []]);
  expect(await brokenBooks(installation)).toEqual({});

  expect(summary.maxInFlight).toBeLessThanOrEqual(IN_FLIGHT);

  const lost = (await toldBy(replicas, "leader.lost")).map(({ replica }) => replica);
  for (let shard = 0; shard < SHARDS; shard++) {
    // Nobody takes a shard from another who has not given it back, unless that one can't any more.
    const history = leases.history(shard);
    const from = history.filter((_, i) => i + 1 < history.length && history[i] !== "" && history[i + 1] !== "");
    expect([shard, from.filter((holder) => ![second.name, ...lost].includes(holder))]).toEqual([shard, []]);
  }

  const terms = new Map((await toldBy(replicas, "leader.term")).map(({ epoch, shard }) => [String(epoch), shard]));
  const objects = await objectKeys();
  const written = await writes();
  const foreign = written.filter(
    ({ epoch, task_key }) => terms.get(epoch) !== shardOf(objects.get(task_key) ?? "", SHARDS),
  );
  const late = [...objects.keys()].filter((key) => {
    const epochs = written.filter(({ task_key }) => task_key === key).map(({ epoch }) => BigInt(epoch));
    return epochs.some((epoch, i) => i > 0 && epoch < (epochs[i - 1] ?? 0n));
  });
  expect([written.length >= 3 * TASKS, foreign, late]).toEqual([true, [], []]);
}, 180_000);
