// Values that are wrong, or that do not fit together, are refused when the chart is rendered: never found out by a pod.
import { beforeAll, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { CHART, ensureHelm, refusal, render } from "./helm.ts";
import { containerOf, workloadsIn } from "./pods.ts";

const TRIAL = { trial: true };
const OWN = { "database.secretName": "db", "objectStore.bucket": "outputs" };
const ALL = {
  "receiver.enabled": true,
  "receiver.publicURL": "https://hooks.example",
  "receiver.keySecretName": "hooks",
  "evidence.enabled": true,
  "verify.enabled": true,
};
const BUILD_MS = 1_200_000;

beforeAll(() => ensureHelm((line) => void process.stderr.write(`${line}\n`)), BUILD_MS);

interface Schema {
  readonly additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

type Values = Readonly<Record<string, unknown>>;
const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every value that has others inside, as the schema sees it: `path` is empty for the whole. */
function* groups(
  schema: Schema,
  values: Values,
  path = "",
): Generator<{ path: string; schema: Schema; values: Values }> {
  yield { path, schema, values };
  for (const [name, inner] of Object.entries(values)) {
    const next = schema.properties?.[name];
    if (next?.properties && isValues(inner)) yield* groups(next, inner, path === "" ? name : `${path}.${name}`);
  }
}

const schema = JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8")) as Schema;
const values = parse(readFileSync(join(CHART, "values.yaml"), "utf8")) as Values;

test.each([...groups(schema, values)])(
  "a typo in '$path' is refused, and the schema has just the values there are",
  (group) => {
    expect(group.schema.additionalProperties).toBe(false);
    const known = Object.keys(group.schema.properties ?? {}).filter((name) => group.path !== "" || name !== "global");
    expect(known.sort()).toEqual(Object.keys(group.values).sort());
  },
);

test.each([
  { when: "a word is misspelt", values: { ...TRIAL, "operator.replica": 2 }, says: /replica/ },
  {
    when: "a number is text",
    values: { ...TRIAL, "operator.replicas": "two" },
    says: /operator\/replicas|operator\.replicas/,
  },
  { when: "a prefix has no end", values: { ...OWN, "objectStore.prefix": "genop" }, says: /prefix/ },
  {
    when: "an SLA class has an unknown field",
    values: { ...TRIAL, "operator.slaClasses": { fast: { prio: 1 } } },
    says: /prio/,
  },
  {
    when: "a budget is a number, which YAML may round",
    values: { ...TRIAL, budgets: { studio: { creditsPerDay: 5 } } },
    says: /creditsPerDay/,
  },
  { when: "a limit is misspelt", values: { ...TRIAL, quota: { acme: { inflight: 4 } } }, says: /inflight/ },
  {
    when: "there is no database",
    values: { "objectStore.bucket": "outputs" },
    says: /set database\.secretName .* or trial=true/,
  },
  {
    when: "there is no bucket",
    values: { "database.secretName": "db" },
    says: /set objectStore\.bucket, or trial=true/,
  },
  {
    when: "the replicas, old and new in an update, need more connections than there are",
    values: { ...OWN, "operator.replicas": 3, "database.poolSize": 20, "database.maxConnections": 120 },
    says: /operator 2 x 3 x 20 \+ migrate 1 = 121 connections .*, but database\.maxConnections is 120/,
  },
  {
    when: "all roles together need more connections than there are",
    values: { ...OWN, ...ALL, "database.maxConnections": 61 },
    says: /operator 2 x 2 x 10 \+ receiver 2 x 2 x 4 \+ evidence 2 x 1 x 2 \+ migrate 1 \+ verify 1 = 62 connections/,
  },
  {
    when: "the downloads need more memory than the operator may have",
    values: { ...OWN, "operator.fetchConcurrency": 24 },
    says: /= 780 MiB, but operator\.resources\.limits\.memory is 768Mi/,
  },
  {
    when: "memory is told in a unit that there is not",
    values: { ...OWN, "operator.resources.limits": { memory: "768MB" } },
    says: /operator[./]resources[./]limits[./]memory/,
  },
  {
    when: "streams leave no connection for requests",
    values: { ...OWN, "shim.maxStreams": 10_000 },
    says: /shim\.maxStreams must be less than shim\.maxConnections/,
  },
  {
    when: "the receiver has no address",
    values: { ...OWN, "receiver.enabled": true, "receiver.keySecretName": "hooks" },
    says: /the receiver needs receiver\.publicURL/,
  },
  {
    when: "the receiver has no key",
    values: { ...OWN, "receiver.enabled": true, "receiver.publicURL": "https://hooks.example" },
    says: /the receiver needs receiver\.keySecretName/,
  },
  {
    when: "the leader would give up after others took over",
    values: { ...OWN, "operator.leader.renewDeadlineSeconds": 15 },
    says: /renewDeadlineSeconds must be less than operator\.leader\.leaseSeconds/,
  },
  {
    when: "the leader has no second try",
    values: { ...OWN, "operator.leader.retrySeconds": 9 },
    says: /retrySeconds x 1\.2 must be less/,
  },
])("refused when $when", async ({ values: given, says }) => {
  expect(await refusal({ values: given })).toMatch(says);
});

test.each([
  { what: "as many connections as there are", values: { ...OWN, ...ALL, "database.maxConnections": 62 } },
  { what: "as much memory as there is", values: { ...OWN, "operator.resources.limits": { memory: "380Mi" } } },
  { what: "memory in bytes", values: { ...OWN, "operator.resources.limits": { memory: 400_000_000 } } },
  { what: "no limit of memory", values: { ...OWN, "operator.resources": { limits: null } } },
])("$what is enough", async ({ values: given }) => {
  expect(await render({ values: given })).not.toEqual([]);
});

test("the pods have ten seconds more than the drain takes", async () => {
  const objects = await render({ values: { ...OWN, "operator.drainSeconds": 45 } });
  expect(workloadsIn(objects).find(({ role }) => role === "operator")?.pod.terminationGracePeriodSeconds).toBe(55);
  expect(containerOf(objects, "operator").env).toContainEqual({ name: "DRAIN_SECONDS", value: "45" });
});

test("own stores bring no throw-away ones, and their schema comes before their pods", async () => {
  const objects = await render({ values: OWN });
  expect(objects.filter(({ metadata }) => metadata.name.includes("trial"))).toEqual([]);
  const job = objects.find(({ kind }) => kind === "Job");
  expect(job?.metadata.annotations).toMatchObject({ "helm.sh/hook": "pre-install,pre-upgrade" });
});

test("a trial's schema comes with its database: the job is no hook, for a hook would wait for a database that waits for it", async () => {
  const objects = await render({ values: TRIAL });
  const job = objects.find(({ kind }) => kind === "Job");
  expect(job?.metadata.annotations).toBeUndefined();
});
