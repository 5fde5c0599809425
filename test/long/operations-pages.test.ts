// The pages of docs/operations as a night operator would follow them: every command of every runbook and of the restore, against an
// installation with a task that nobody can tell of. Pods are not there: what asks for their logs finds none.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { makePool } from "../../operator/postgres/pool.ts";
import { render } from "../chart/helm.ts";
import { ROOT, filesBelow } from "../docs/markdown.ts";
import { kubectl } from "../env/kubectl.ts";
import { follow, shellBlocksOf } from "../operator/follow.ts";
import { NAMESPACE, applyObjects } from "../operator/installation.ts";
import type { OperatorProcess } from "../operator/process.ts";
import { TENANT, openScene } from "../operator/scene.ts";
import type { Scene } from "../operator/scene.ts";
import { quotaObject } from "../operator/tenancy.ts";

/** Building Helm, where it is not there yet, takes three minutes. */
const LIMIT_MS = 600_000;
const PAGES = [...filesBelow(join(ROOT, "docs/operations/runbooks"), ".md"), "docs/operations/backup.md"];

let scene: Scene;
let operator: OperatorProcess;
let folder: string;
let variables: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "genop-operations-"));
  scene = await openScene();
  const { environment, installation } = scene;
  const deployments = (await render({ values: { trial: true } })).filter(({ kind }) => kind === "Deployment");
  await applyObjects(environment, [quotaObject({ simulated: "inFlight: 40" }), ...deployments]);
  operator = scene.start();
  await scene.wish("sunrise", { simulate: { durationMs: 60_000 } });
  await scene.wish("nobody-can-tell", { provider: "blind", simulate: { submit: ["close-after"] } });
  await scene.become("sunrise", "Polling");
  await scene.become("nobody-can-tell", "NeedsReview SubmitUnresolved");
  await makeDesk();
  const auditor = await readerOf(installation.databaseUrl);
  variables = { DATABASE_URL: installation.databaseUrl, VERIFY_DATABASE_URL: auditor };
}, LIMIT_MS);

afterAll(async () => {
  await operator.stop();
  await scene.close();
  await rm(folder, { recursive: true, force: true });
}, LIMIT_MS);

/** Where the commands are typed: the repository's own files, a bill, and psql. */
async function makeDesk(): Promise<void> {
  for (const name of ["package.json", "node_modules", "operator"]) await symlink(join(ROOT, name), join(folder, name));
  await writeFile(join(folder, "usage.csv"), "job_id,amount,billed_at\njob_forgotten,0.05,2026-11-30T12:00:00Z\n");
  await mkdir(join(folder, "bin"));
  await symlink(join(ROOT, "test", "operator", "psql.mjs"), join(folder, "bin", "psql"));
}

/** A login that can only read. */
async function readerOf(databaseUrl: string): Promise<string> {
  const url = new URL(scene.environment.postgres.adminUrl);
  url.pathname = new URL(databaseUrl).pathname;
  const admin = makePool({ url: url.href, applicationName: "auditor-login", maxConnections: 1 });
  try {
    await admin.query("create role genop_auditor login password 'for-tests-only' in role genop_reader");
  } finally {
    await admin.end();
  }
  return Object.assign(url, { username: "genop_auditor", password: "for-tests-only" }).href;
}

test.each(PAGES)(
  "every command of %s does something",
  async (page) => {
    expect(shellBlocksOf(page).length).toBeGreaterThan(0);
    const programs = [join(folder, "bin"), dirname(process.execPath)];
    const stdout = await follow({ page, folder, cluster: scene.environment, programs, variables });
    expect(stdout).not.toBe("");
  },
  LIMIT_MS,
);

test("what they were to do is done: the task is decided, the quota mended, the deployment as it was, and the bill imported", async () => {
  const { environment } = scene;
  expect((await scene.become("nobody-can-tell", "Failed")).status?.reason).toBe("WrittenOff");
  const inNamespace = ["--namespace", NAMESPACE, "get"];
  const read = (args: readonly string[]): Promise<string> => kubectl(environment, [...inNamespace, ...args]);
  expect(await read(["configmap", "genop-quota", "-o", "jsonpath={.data.simulated}"])).toBe("inFlight: 50");
  const replicas = await read([
    "deployment",
    "-l",
    "app.kubernetes.io/component=operator",
    "-o",
    "jsonpath={..spec.replicas}",
  ]);
  expect(replicas).toBe("2");
  const suspended = await kubectl(environment, [
    "--namespace",
    TENANT,
    "get",
    "gt",
    "sunrise",
    "-o",
    "jsonpath={.spec.suspend}",
  ]);
  expect(suspended).toBe("false");
});
