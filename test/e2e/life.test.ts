import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { makePool } from "../../operator/postgres/pool.ts";
import { TENANT, standUp } from "../operator/stand.ts";
import type { Stand } from "../operator/stand.ts";
import { brokenBooks, keysBelow } from "../operator/verdict.ts";

let stand: Stand;
/** Begun first and looked at last: it mostly waits. */
let turningUp: Promise<string>;

beforeAll(async () => {
  const blind = { lookupByClientID: false, correlate: "None", cancel: "None" };
  const impatient = { settleSeconds: 2, misses: 100, patienceSeconds: 2 };
  const providers = [
    { name: "simulated" },
    { name: "blind", spec: { capabilities: blind } },
    { name: "lagging", spec: { unknown: impatient } },
    { name: "billed" },
  ];
  stand = await standUp({ providers });
  const usage = JSON.stringify({ spec: { http: { usage: USAGE } } });
  await stand.kubectl("patch", "gp", "billed", "--type=merge", "-p", usage);
  turningUp = giveUpTooEarly();
  turningUp.catch(() => undefined);
}, 120_000);

const USAGE = {
  path: '"/usage?from=" + urlEncode(string(usage.from)) + "&to=" + urlEncode(string(usage.to))',
  ...{ items: "response.body.items", jobID: "item.job_id", amount: "item.amount", billedAt: "item.billed_at" },
};

const LAG_MS = 8000;

/** A submit whose answer is lost, at a provider that shows the job later than anybody waits for it. */
async function giveUpTooEarly(): Promise<string> {
  const simulate = { submit: ["close-after"], list: { lagMs: LAG_MS }, durationMs: 600_000 };
  const spec = { unknownPolicy: "Fail" };
  const key = await stand.wish({ name: "given-up", model: "sim-image", provider: "lagging", simulate, spec });
  await stand.inPhase(key, "Failed");
  const pool = makePool({ url: stand.installation.databaseUrl, applicationName: "life", maxConnections: 1 });
  const sooner = `update genop.late_searches set next_at = attempt.sent_at + $1 * interval '1 millisecond'
                    from genop.attempts attempt where attempt.id = attempt_id and late_searches.provider = 'lagging'`;
  await pool.query(sooner, [LAG_MS + 1000]).finally(() => pool.end());
  return key;
}

afterAll(() => stand.stop());

const edit = (name: string, spec: object): Promise<string> =>
  stand.kubectl("patch", "gt", name, "-n", TENANT, "--type=merge", "-p", JSON.stringify({ spec }));

describe("how a task ends", () => {
  test("a running job is cancelled as asked, and the provider agrees", async () => {
    const key = await stand.wish({ name: "cancelled", model: "sim-image", simulate: { durationMs: 60_000 } });
    await stand.inPhase(key, "Polling");
    await edit("cancelled", { cancelRequested: true });
    const task = await stand.inPhase(key, "Cancelled");
    expect(task.status).toMatchObject({ reason: "CancelledByUser", credits: { settled: "0", released: "0.01" } });
    const { jobs } = await stand.provider.record({ reference: key });
    expect(jobs.map(({ state }) => state)).toEqual(["cancelled"]);
  }, 120_000);

  test("a deleted object stays until its job is cancelled and its money settled, then goes", async () => {
    const key = await stand.wish({ name: "deleted", model: "sim-image", simulate: { durationMs: 60_000 } });
    await stand.inPhase(key, "Polling");
    await stand.kubectl("delete", "gt", "deleted", "-n", TENANT, "--wait=false");
    await stand.gone(key);
    const { jobs } = await stand.provider.record({ reference: key });
    expect(jobs.map(({ state }) => state)).toEqual(["cancelled"]);
    expect(await brokenBooks(stand.installation)).toEqual({});
  }, 120_000);

  test("Orphan lets the job run on and the object go at once", async () => {
    const wish = {
      name: "orphaned",
      model: "sim-image",
      simulate: { durationMs: 60_000 },
      spec: { deletionPolicy: "Orphan" },
    };
    const key = await stand.wish(wish);
    await stand.inPhase(key, "Polling");
    await stand.kubectl("delete", "gt", "orphaned", "-n", TENANT, "--wait=false");
    await stand.gone(key);
    const { jobs } = await stand.provider.record({ reference: key });
    expect(jobs[0]?.cancelRequestedAt).toBeNull();
  }, 120_000);

  test("a job past the task's deadline is cancelled, and the task fails", async () => {
    const wish = {
      name: "late",
      model: "sim-image",
      simulate: { durationMs: 60_000 },
      spec: { activeDeadlineSeconds: 3 },
    };
    const task = await stand.inPhase(await stand.wish(wish), "Failed");
    expect(task.status).toMatchObject({ reason: "DeadlineExceeded" });
  }, 120_000);

  test("a finished object is removed when its time to live has passed", async () => {
    const key = await stand.wish({ name: "brief", model: "sim-image", spec: { ttlSecondsAfterFinished: 1 } });
    await stand.inPhase(key, "Succeeded");
    await stand.gone(key);
  }, 120_000);

  test("a suspended task starts nothing until it is resumed", async () => {
    const key = await stand.wish({ name: "suspended", model: "sim-image", spec: { suspend: true } });
    const task = await stand.inPhase(key, "Pending");
    expect(task.status).toMatchObject({ reason: "Suspended" });
    expect((await stand.provider.record({ reference: key })).requests).toEqual([]);
    await edit("suspended", { suspend: false });
    await stand.inPhase(key, "Succeeded");
  }, 120_000);

  test.each([
    { name: "refused", simulate: { submit: ["invalid"] }, reason: "JobRefused" },
    { name: "failing", simulate: { end: "failed" }, reason: "JobFailed" },
    {
      name: "mislabelled",
      simulate: { outputs: [{ kind: "image", fault: "mislabelled-html" }] },
      reason: "OutputUnusable",
    },
    { name: "vanished", simulate: { outputs: [{ kind: "image", fault: "not-found" }] }, reason: "OutputExpired" },
  ])(
    "$name ends as $reason and leaves nothing behind",
    async ({ name, reason, simulate }) => {
      const task = await stand.inPhase(await stand.wish({ name, model: "sim-image", simulate }), "Failed");
      expect(task.status?.reason).toBe(reason);
      expect(task.status?.assets).toBeUndefined();
      expect(await keysBelow(stand.environment, "staging/")).toEqual([]);
      expect(await brokenBooks(stand.installation)).toEqual({});
    },
    120_000,
  );
});

describe("who a task is", () => {
  test("an object restored under a new UID is the same wish: nothing is submitted again", async () => {
    const key = await stand.wish({ name: "restored", model: "sim-image" });
    const before = await stand.inPhase(key, "Succeeded");
    const annotations = { "genop.dev/task-key": before.metadata.annotations?.["genop.dev/task-key"] };
    await stand.kubectl("delete", "gt", "restored", "-n", TENANT);
    await stand.gone(key);

    const object = JSON.stringify({
      ...before,
      metadata: { name: "restored", namespace: TENANT, annotations },
      status: undefined,
    });
    await stand.apply(object);
    const after = await stand.inPhase(key, "Succeeded");
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.status?.providerJobID).toBe(before.status?.providerJobID);
    expect((await stand.provider.record({ reference: key })).jobs).toHaveLength(1);
  }, 120_000);

  test("a copy that carries another namespace's key is refused, and nothing is submitted", async () => {
    const key = await stand.wish({ name: "original", model: "sim-image" });
    const original = await stand.inPhase(key, "Succeeded");
    await stand.kubectl("create", "namespace", "elsewhere");
    const { annotations } = original.metadata;
    const copy = { ...original, metadata: { name: "copy", namespace: "elsewhere", annotations }, status: undefined };
    await stand.apply(JSON.stringify(copy));
    expect((await stand.inPhase("elsewhere/copy", "Rejected")).status?.reason).toBe("ForeignKey");
    expect((await stand.provider.record({ reference: key })).jobs).toHaveLength(1);
  }, 120_000);

  test("a second object with the same idempotency key is refused", async () => {
    await stand.inPhase(
      await stand.wish({ name: "first-of-key", model: "sim-image", spec: { idempotencyKey: "order-1" } }),
      "Succeeded",
    );
    const second = await stand.wish({ name: "second-of-key", model: "sim-image", spec: { idempotencyKey: "order-1" } });
    expect((await stand.inPhase(second, "Rejected")).status?.reason).toBe("DuplicateKey");
    expect((await stand.provider.record({ reference: second })).requests).toEqual([]);
  }, 120_000);
});

describe("a submit that nobody can resolve", () => {
  const lost = { model: "sim-image", provider: "blind", simulate: { submit: ["close-after"] } };

  test("waits for a person, who binds the job", async () => {
    const key = await stand.wish({ name: "to-bind", ...lost });
    await stand.inPhase(key, "NeedsReview");
    const { jobs } = await stand.provider.record({ reference: key });
    await edit("to-bind", {
      resolution: { attempt: 1, decision: "BindJob", jobID: jobs[0]?.id, note: "found in the console" },
    });
    const task = await stand.inPhase(key, "Succeeded");
    expect(task.status?.providerJobID).toBe(jobs[0]?.id);
    expect(jobs).toHaveLength(1);
  }, 120_000);

  test("is written off by a person, and the credits come back", async () => {
    const key = await stand.wish({ name: "to-write-off", ...lost });
    await stand.inPhase(key, "NeedsReview");
    await edit("to-write-off", { resolution: { attempt: 1, decision: "WriteOff" } });
    const task = await stand.inPhase(key, "Failed");
    expect(task.status).toMatchObject({ reason: "WrittenOff", credits: { settled: "0", released: "0.01" } });
  }, 120_000);
});

test("a job that turns up after its task had failed is cancelled and booked, and the task says so and stays failed", async () => {
  const key = await turningUp;
  const isOver = (): boolean => conditionOf(key)?.reason === "LateJobOver";
  await stand.watcher.until(`the late job of ${key} to be over`, isOver, AbortSignal.timeout(170_000));
  const { billed, jobs } = await stand.provider.record({ reference: key });
  expect([jobs.map(({ state }) => state), billed]).toEqual([["cancelled"], []]);
  expect(conditionOf(key)?.message).toContain(`(job "${jobs[0]?.id ?? ""}" of attempt 1: cancelled, 0 outputs kept)`);
  const { status } = await stand.inPhase(key, "Failed");
  expect(status).toMatchObject({ reason: "SubmitUnresolved", credits: { settled: "0", released: "0.01" } });
  const about = ["--field-selector=reason=LateJob", "-o=jsonpath={.items[*].involvedObject.name}"];
  expect(await stand.kubectl("get", "events", "-n", TENANT, ...about)).toBe("given-up");
  expect(await brokenBooks(stand.installation)).toEqual({});
}, 180_000);

function conditionOf(key: string): { readonly reason: string; readonly message: string } | undefined {
  return stand.watcher.get(key)?.status?.conditions?.find(({ type }) => type === "LateJob");
}

test("C4: a provider's bill is read by the leader, and the provider's condition says so", async () => {
  await stand.kubectl("wait", "gp/billed", "--for=condition=UsageRead", "--timeout=100s");
  const { requests } = await stand.provider.record({ operation: "usage" });
  expect(requests.map(({ credential, status }) => [credential, status])).toContainEqual(["valid", 200]);
}, 120_000);
