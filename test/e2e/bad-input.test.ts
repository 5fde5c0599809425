import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readFile } from "node:fs/promises";
import { applyObjects, NAMESPACE } from "../operator/installation.ts";
import { startOperator } from "../operator/process.ts";
import { TENANT, standUp } from "../operator/stand.ts";
import type { Stand } from "../operator/stand.ts";
import { providerObjects, quotaObject } from "../operator/tenancy.ts";

let stand: Stand;

beforeAll(async () => {
  stand = await standUp();
}, 120_000);

afterAll(() => stand.stop());

const condition = (name: string, type: string, status: string): Promise<string> =>
  stand.kubectl("wait", `gp/${name}`, `--for=condition=${type}=${status}`, "--timeout=45s");
const message = (name: string, type: string): Promise<string> =>
  stand.kubectl("get", "gp", name, "-o", `jsonpath={.status.conditions[?(@.type=="${type}")].message}`);
const provider = async (name: string, spec: Readonly<Record<string, unknown>>): Promise<void> => {
  await applyObjects(stand.environment, await providerObjects(stand.environment, [{ name, spec }]));
};

const HTTP = {
  submit: {
    path: '"/jobs"',
    body: '{"model": task.model, "input": task.input, "ref": attempt.id}',
    jobID: "response.body.id",
  },
  query: { path: '"/jobs/" + attempt.jobID', state: '"Running"' },
};
const PLAIN = { capabilities: { cancel: "None", correlate: "None" } };

describe("a provider that can't be used says why in a condition, and its tasks wait", () => {
  test.each([
    {
      name: "bad-syntax",
      http: { ...HTTP, query: { ...HTTP.query, state: 'response.body.state == "done" ? ' } },
      says: "spec.http.query.state",
    },
    {
      name: "bad-variable",
      http: { ...HTTP, submit: { ...HTTP.submit, jobID: "answer.id" } },
      says: "spec.http.submit.jobID",
    },
  ])(
    "$name",
    async ({ http, name, says }) => {
      await provider(name, { ...PLAIN, http });
      await condition(name, "Ready", "False");
      expect(await message(name, "Ready")).toContain(says);
      const task = await stand.inPhase(
        await stand.wish({ name: `with-${name}`, model: "sim-image", provider: name }),
        "Pending",
      );
      expect(task.status?.reason).toMatch(/Accepted|ProviderNotReady/);
    },
    120_000,
  );

  test("a missing Secret is named", async () => {
    await provider("no-secret", { credentials: { secretRef: { name: "absent", key: "token" }, prefix: "Bearer " } });
    await condition("no-secret", "Ready", "False");
    expect(await message("no-secret", "CredentialsValid")).toContain("absent");
  }, 120_000);

  test("a wrong credential holds the tasks and is told, and a right one lets them go on", async () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "other", namespace: NAMESPACE } };
    await applyObjects(stand.environment, [{ ...secret, stringData: { token: "wrong" } }]);
    await provider("wrong-token", { credentials: { secretRef: { name: "other", key: "token" }, prefix: "Bearer " } });
    await condition("wrong-token", "Ready", "True");
    const key = await stand.wish({ name: "refused-account", model: "sim-image", provider: "wrong-token" });
    await condition("wrong-token", "CredentialsValid", "False");
    expect(stand.watcher.get(key)?.status?.phase).toBe("Pending");
    expect((await stand.provider.record({ reference: key })).jobs).toEqual([]);

    await applyObjects(stand.environment, [{ ...secret, stringData: { token: stand.environment.provider.token } }]);
    await stand.inPhase(key, "Succeeded");
  }, 120_000);
});

describe("the quota", () => {
  test("a bad edit is told, and the last good limits stay in force", async () => {
    await provider("limited", {});
    await applyObjects(stand.environment, [quotaObject({ limited: "inFlight: 1" })]);
    await condition("limited", "QuotaValid", "True");
    await applyObjects(stand.environment, [quotaObject({ limited: "inFligth: 5" })]);
    await condition("limited", "QuotaValid", "False");
    expect(await message("limited", "QuotaValid")).toContain("inFligth");

    const names = ["one", "two", "three"].map((name) => `limited-${name}`);
    const keys = await Promise.all(
      names.map((name) =>
        stand.wish({ name, model: "sim-image", provider: "limited", simulate: { durationMs: 1500 } }),
      ),
    );
    await Promise.all(keys.map((key) => stand.inPhase(key, "Succeeded")));
    const { jobs } = await stand.provider.record({});
    const mine = jobs
      .filter(({ reference }) => keys.includes(reference))
      .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
    expect(mine).toHaveLength(3);
    mine.slice(1).forEach((job, index) => expect(job.createdAt >= (mine[index]?.finishedAt ?? "")).toBe(true));
  }, 120_000);
});

describe("a task that can never be carried out is Rejected with one sentence", () => {
  test.each([
    { name: "no-model", spec: { model: "other" }, reason: "ModelNotFound", says: 'no model "other"' },
    { name: "no-provider", spec: { providerRef: { name: "absent" } }, reason: "ProviderNotFound", says: "absent" },
    { name: "too-dear", spec: { maxCredits: "0.001" }, reason: "OverCeiling", says: "spec.maxCredits" },
    {
      name: "unmoderated",
      spec: { moderation: { profile: "strict" } },
      reason: "NotSupported",
      says: "spec.moderation.profile",
    },
    { name: "unclassed", spec: { slaClass: "gold" }, reason: "NotSupported", says: "spec.slaClass" },
  ])(
    "$name",
    async ({ name, reason, says, spec }) => {
      const task = await stand.inPhase(await stand.wish({ name, model: "sim-image", spec }), "Rejected");
      expect(task.status?.reason).toBe(reason);
      expect(task.status?.message).toContain(says);
    },
    120_000,
  );

  test("a missing input Secret is waited for and named, then used", async () => {
    const inputFrom = [{ path: "/token", secretKeyRef: { name: "later", key: "value" } }];
    const key = await stand.wish({ name: "with-secret", model: "sim-image", spec: { inputFrom } });
    await stand.watcher.until(
      "the reason",
      () => stand.watcher.get(key)?.status?.reason === "InputUnavailable",
      AbortSignal.timeout(30_000),
    );
    expect(stand.watcher.get(key)?.status?.message).toContain("later");
    await stand.kubectl("create", "secret", "generic", "later", "-n", TENANT, "--from-literal=value=the-hidden-value");
    await stand.inPhase(key, "Succeeded");
  }, 120_000);
});

test("a wrong environment variable ends the start with a sentence that names it", async () => {
  const operator = startOperator(stand.installation, { variables: { S3_CHECKSUMS: "SOMETIMES" } });
  expect(await operator.ended).toBe(78);
});

test("I11: no credential, prompt, hidden value or signed URL is in the log, in a status or in an event", async () => {
  const texts = await Promise.all([
    readFile(stand.logFile, "utf8"),
    stand.kubectl("get", "gt", "-A", "-o", "jsonpath={.items[*].status}"),
    stand.kubectl("get", "gp", "-o", "jsonpath={.items[*].status}"),
    stand.kubectl("get", "events", "-A", "-o", "yaml"),
  ]);
  for (const text of texts) {
    expect(text.length).toBeGreaterThan(100);
    for (const secret of [
      `Bearer ${stand.environment.provider.token}`,
      "quiet harbour",
      "the-hidden-value",
      "signature=",
    ]) {
      expect(text).not.toContain(secret);
    }
  }
});
