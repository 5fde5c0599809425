// Values that are wrong, or that do not fit together, are refused when the chart is rendered: never found out by a pod.
import { beforeAll, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { CHART, ensureHelm, refusal, render } from "./helm.ts";
import { containersOf } from "./pods.ts";

const TRIAL = { trial: true };
const OWN = { "database.secretName": "db", "objectStore.bucket": "outputs" };
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
    when: "the replicas need more connections than there are",
    values: { ...OWN, "operator.replicas": 4, "database.poolSize": 20, "database.maxConnections": 100 },
    says: /= 101 connections, but database\.maxConnections is 100/,
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

test("as many connections as there are, are enough", async () => {
  const given = { ...OWN, "operator.replicas": 4, "database.poolSize": 20, "database.maxConnections": 101 };
  expect(await render({ values: given })).not.toEqual([]);
});

test("the pods have ten seconds more than the drain takes", async () => {
  const objects = await render({ values: { ...OWN, "operator.drainSeconds": 45 } });
  const operator = objects.find(({ kind }) => kind === "Deployment");
  expect(operator?.spec).toMatchObject({ template: { spec: { terminationGracePeriodSeconds: 55 } } });
  expect(containersOf(operator).flatMap(({ env = [] }) => env)).toContainEqual({ name: "DRAIN_SECONDS", value: "45" });
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
