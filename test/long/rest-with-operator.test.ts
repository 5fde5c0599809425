// The shim and the operator together, each as in a cluster: every line of the guide, a key that outlives its task, and an outage
// of the database that new work is told of and reads are not.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { renderEvidenceRbac } from "../../operator/evidence/rights.ts";
import { makePool } from "../../operator/postgres/pool.ts";
import { ROOT } from "../docs/markdown.ts";
import { follow, shellBlocksOf, type Walk } from "../operator/follow.ts";
import { NAMESPACE, applyObjects, installShim } from "../operator/installation.ts";
import { startOperator } from "../operator/process.ts";
import { standUp, TENANT, type Stand } from "../operator/stand.ts";
import { ask, WISH, type Answer } from "../integration/api-shim/client.ts";
import { limit, startShim, type RunningShim } from "../integration/api-shim/fixture.ts";

/** It starts an environment of its own, beside others on a busy machine. */
const LIMIT_MS = 240_000;

let stand: Stand;
let shim: RunningShim;
let token: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "genop-rest-"));
  stand = await standUp();
  const { environment, operator } = stand;
  const { port } = await operator.logged(({ event }) => event === "health.listening", AbortSignal.timeout(LIMIT_MS));
  const account = await installShim(environment, NAMESPACE);
  shim = await startShim(environment, account.kubeconfigPath, {
    OPERATOR_METRICS_URL: `http://127.0.0.1:${String(port)}/metrics`,
    UNTAKEN_SECONDS: "3600", // the operator's own word is what is tried here
  });
}, LIMIT_MS);
afterAll(async () => {
  await shim.stop();
  await stand.stop();
  await rm(folder, { recursive: true, force: true });
}, LIMIT_MS);

const create = (key: string, body: unknown = WISH): Promise<Answer> =>
  ask(shim.url, "POST", "/v1/tasks", { token, key, body });

/** Resolves when the shim has logged that the books are so, after the lines that there were. */
async function untilBooks(state: string, after: number): Promise<void> {
  const limited = limit();
  while (!shim.lines.slice(after).some(({ event, fields }) => event === "intake.books" && fields.state === state)) {
    limited.throwIfAborted();
    await ask(shim.url, "GET", "/openapi.json"); // a turn of the loop that is not spun
  }
}

/** With its programs and settings; a page that has become shorter than this is no guide. */
function followGuide(walk: Omit<Walk, "cluster" | "folder">): Promise<string> {
  expect(shellBlocksOf(walk.page).length).toBeGreaterThanOrEqual(5);
  return follow({ ...walk, folder, cluster: stand.environment });
}

test(
  "every line of the guide does what it says",
  async () => {
    const more = 'printf %s "$TOKEN" > token';
    const stdout = await followGuide({ page: "docs/guide/rest.md", variables: { REST: shim.url }, more });
    expect(stdout).toContain('"cancelRequested":true');
    token = await readFile(join(folder, "token"), "utf8");
  },
  LIMIT_MS,
);

test(
  "every line of the plugin's guide does what it says, with the evidence service as a process of its own",
  async () => {
    const { installation } = stand;
    const programs = [join(folder, "bin"), dirname(process.execPath)];
    await promisify(execFile)(process.execPath, [join(ROOT, "cli", "build.mjs"), join(folder, "bin")]);
    const evidence = startOperator(installation, {
      main: join(ROOT, "operator", "evidence.ts"),
      variables: { ...(await evidenceVariables(stand)), EVIDENCE_HOST: "127.0.0.1", EVIDENCE_PORT: "0" },
    });
    try {
      const limited = AbortSignal.timeout(LIMIT_MS);
      const { port } = await evidence.logged(({ event }) => event === "evidence.listening", limited);
      const variables = { GENOP_EVIDENCE: `http://127.0.0.1:${String(port)}`, GENOP_REST: shim.url };
      const stdout = await followGuide({ page: "docs/guide/kubectl-genop.md", programs, variables });
      expect(stdout).toContain("generationtask.genop.dev/harbour Succeeded");
      expect(stdout).toMatch(/#1 Succeeded after .*: its outputs are published/);
      expect(stdout).toMatch(/ago +resolve /);
      expect(await readdir(join(folder, "pictures"))).toEqual(["image-1.png"]);
      const why = JSON.parse(await readFile(join(folder, "why.json"), "utf8")) as {
        readonly phases: readonly { readonly phase: string }[];
      };
      const phases = why.phases.map(({ phase }) => phase);
      expect([phases[0], phases.at(-1)]).toEqual(["Pending", "Succeeded"]);
    } finally {
      expect(await evidence.stop()).toBe(0);
    }
  },
  LIMIT_MS,
);

/** A login that can only read, and an account with the service's rights alone. */
async function evidenceVariables({ environment, installation }: Stand): Promise<Readonly<Record<string, string>>> {
  const name = "genop-evidence";
  await applyObjects(environment, [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: NAMESPACE, name } },
    ...renderEvidenceRbac({ name, namespace: NAMESPACE, serviceAccount: name }),
  ]);
  const url = new URL(environment.postgres.adminUrl);
  url.pathname = new URL(installation.databaseUrl).pathname;
  const admin = makePool({ url: url.href, applicationName: "evidence-login", maxConnections: 1 });
  try {
    await admin.query("create role genop_evidence login password 'for-tests-only' in role genop_reader");
  } finally {
    await admin.end();
  }
  url.username = "genop_evidence";
  url.password = "for-tests-only";
  const { kubeconfigPath } = await environment.tokenFor(`${NAMESPACE}/${name}`);
  return { EVIDENCE_DATABASE_URL: url.href, KUBECONFIG: kubeconfigPath };
}

test(
  "a key outlives its task: the same wish gets the old result and is not paid for again, another one is Rejected",
  async () => {
    const body = { ...WISH, input: { prompt: "once", reference: `${TENANT}/once` } };
    const first = await create("outlives", body);
    const key = `${TENANT}/${String(first.body.id)}`;
    const done = await stand.inPhase(key, "Succeeded");
    await ask(shim.url, "DELETE", `/v1/tasks/${String(first.body.id)}`, { token });
    await stand.gone(key);

    expect((await create("outlives", body)).body.id).toBe(first.body.id);
    const again = await stand.inPhase(key, "Succeeded");
    expect(again.status?.providerJobID).toBe(done.status?.providerJobID);
    await ask(shim.url, "DELETE", `/v1/tasks/${String(first.body.id)}`, { token });
    await stand.gone(key);

    expect((await create("outlives", { ...body, model: "sim-video" })).status).toBe(202);
    expect((await stand.inPhase(key, "Rejected")).status?.reason).toBe("KeyReused");
  },
  LIMIT_MS,
);

/** New work is refused at once, and with words; what was accepted is still answered, and reads go on. */
async function expectRefusal(key: string): Promise<void> {
  const tookMs: number[] = [];
  for (let index = 0; index < 20; index += 1) {
    const startedMs = performance.now();
    const { body, headers, status } = await create(`during-${key}-${index}`);
    tookMs.push(performance.now() - startedMs);
    expect([status, body.code, headers["retry-after"]]).toEqual([503, "books-unavailable", "10"]);
  }
  // The median of twenty, so that one turn of a busy machine is no failure.
  expect(tookMs.sort((a, b) => a - b)[10]).toBeLessThan(100);
  const accepted = await create(key);
  expect(accepted.status).toBe(202);
  expect((await ask(shim.url, "GET", `/v1/tasks/${String(accepted.body.id)}`, { token })).status).toBe(200);
  expect((await ask(shim.url, "GET", "/v1/tasks", { token })).status).toBe(200);
}

test(
  "with the database down new work is refused at once, what was accepted is still answered, and reads go on",
  async () => {
    await create("before-the-outage");
    const before = shim.lines.length;
    await stand.environment.part("postgres").stop();
    await untilBooks("down", before);
    await expectRefusal("before-the-outage");

    const during = shim.lines.length;
    await stand.environment.part("postgres").start();
    await untilBooks("up", during);
    expect((await create("after")).status).toBe(202);
  },
  LIMIT_MS,
);

test(
  "and so it is with one that answers, and takes its time",
  async () => {
    await create("before-it-was-slow");
    const pool = makePool({ url: stand.installation.databaseUrl, applicationName: "slow", maxConnections: 1 });
    const holder = await pool.connect();
    try {
      const before = shim.lines.length;
      await holder.query("begin; lock table genop.tasks, genop.attempts in access exclusive mode");
      await untilBooks("down", before);
      await expectRefusal("before-it-was-slow");
      const during = shim.lines.length;
      await holder.query("rollback");
      await untilBooks("up", during);
      expect((await create("as-fast-as-ever")).status).toBe(202);
    } finally {
      holder.release();
      await pool.end();
    }
  },
  LIMIT_MS,
);
