// The chart against the real API server: what it renders is accepted where Pod Security is "restricted", and the migrate
// job works with exactly the rights that the chart gives it.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensureHelm, render, VALUES_FILES } from "../../chart/helm.ts";
import type { Rendered } from "../../chart/helm.ts";
import { workloadsIn } from "../../chart/pods.ts";
import type { AttachedEnvironment } from "../../env/attach.ts";
import { kubectl } from "../../env/kubectl.ts";
import { freshDatabase, sharedEnvironment } from "../../env/shared.ts";
import type { FreshDatabase } from "../../env/shared.ts";

const run = promisify(execFile);
const MIGRATE = join(import.meta.dirname, "..", "..", "..", "operator", "migrate.ts");
const LIMIT_MS = 120_000;
const BUILD_MS = 1_200_000;
const namespace = `chart-${randomBytes(4).toString("hex")}`;

let environment: AttachedEnvironment;
let database: FreshDatabase;

const isOfMigrate = ({ metadata }: Rendered): boolean => metadata.name.startsWith("genop-generation-operator-migrate");
const isRight = ({ kind }: Rendered): boolean => kind === "ServiceAccount" || kind.startsWith("ClusterRole");

function apply(objects: readonly object[], ...options: readonly string[]): Promise<string> {
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  return kubectl(environment, ["apply", "--server-side", "--force-conflicts", ...options, "-f", "-"], { input });
}

beforeAll(async () => {
  environment = sharedEnvironment();
  await ensureHelm((line) => void process.stderr.write(`${line}\n`));
  database = await freshDatabase(environment);
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await apply([{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } }]);
}, BUILD_MS);

afterAll(async () => {
  await database.drop();
  const mine = ["clusterrole,clusterrolebinding", "genop-generation-operator-migrate"];
  await kubectl(environment, ["delete", "--ignore-not-found", ...mine]);
  await kubectl(environment, ["delete", "namespace", namespace, "--wait=false"]);
}, LIMIT_MS);

/** Kinds of the Prometheus operator, which is not there. */
const isKnown = ({ apiVersion }: Rendered): boolean => !apiVersion.startsWith("monitoring.coreos.com/");

test.each(VALUES_FILES)(
  "the API server takes every object of %s, and every pod where Pod Security is restricted",
  async (file) => {
    const objects = (await render({ files: [file], namespace })).filter(isKnown);
    const pods = workloadsIn(objects).map(({ object, pod: spec }) => {
      return { apiVersion: "v1", kind: "Pod", metadata: { name: object.metadata.name, namespace }, spec };
    });
    expect(pods.length).toBeGreaterThan(1);
    // A pod's account must be there before the pod, and a dry run makes none.
    await apply(objects.filter(({ kind }) => kind === "ServiceAccount"));
    await apply(objects, "--dry-run=server");
    await apply(pods, "--dry-run=server");
  },
  LIMIT_MS,
);

interface Rule {
  readonly verbs: readonly string[];
  readonly resources: readonly string[];
}

/** Runs the job as the chart's account, with the chart's rights or one verb less. */
async function migrate(without?: string): Promise<string> {
  const objects = (await render({ values: { trial: true }, namespace })).filter(isOfMigrate).filter(isRight);
  const rights = objects.map((object) => {
    if (object.kind !== "ClusterRole" || without === undefined) return object;
    const rules = (object.rules as readonly Rule[]).map((rule) => ({
      ...rule,
      verbs: rule.verbs.filter((verb) => verb !== without),
    }));
    return { ...object, rules: rules.filter(({ verbs }) => verbs.length > 0) };
  });
  await apply(rights);
  const { kubeconfigPath } = await environment.tokenFor(`${namespace}/genop-generation-operator-migrate`);
  const variables = { MIGRATE_DATABASE_URL: database.url, MIGRATE_CRDS: "true", KUBECONFIG: kubeconfigPath };
  const env = { PATH: process.env.PATH, ...variables };
  const { stdout } = await run(process.execPath, [MIGRATE], { env, timeout: LIMIT_MS });
  return stdout;
}

test(
  "the migrate job brings the schema and the definitions, twice if it must, and needs each verb that it is given",
  async () => {
    const definitions = "applied creditgrants.genop.dev, generationproviders.genop.dev, generationtasks.genop.dev";
    expect(await migrate()).toMatch(/^applied 0001_[^]*\n/);
    expect(await migrate()).toBe(`the schema is up to date\n${definitions}\n`);
    for (const verb of ["get", "patch"]) await expect(migrate(verb)).rejects.toThrow(/forbidden/i);
  },
  LIMIT_MS,
);
