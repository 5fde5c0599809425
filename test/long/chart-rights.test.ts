// Every role of the chart, started as the chart says, with exactly its rights, on an API server that writes down what it is asked:
// nobody is refused anything, and each verb that is given is needed. The server streams no lists, as older ones do not: then both
// `list` and `watch` are.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loadKubeConfig } from "../../operator/kube/kubeconfig.ts";
import { makeTransport, type Transport } from "../../operator/runtime/transport.ts";
import { makeAudit, type Asked, type Audit } from "../chart/audit.ts";
import { ensureHelm, render, type Rendered } from "../chart/helm.ts";
import { makeRunning, type Running } from "../chart/running.ts";
import { isBy, isOfSameRole, mayStill, withholding, type Granted } from "../chart/withheld.ts";
import { startEnvironment, type Environment } from "../env/environment.ts";
import { kubectl } from "../env/kubectl.ts";
import { ask } from "../integration/api-shim/client.ts";
import { applyObjects, NAMESPACE } from "../operator/installation.ts";
import { grantObject, namespaceObject, providerObjects, quotaObject, taskObject } from "../operator/tenancy.ts";
import { watchTasks, type TaskWatcher } from "../operator/watcher.ts";

const NAME = "genop-generation-operator";
const TENANT = "studio";
const LIMIT_MS = 300_000;
const VALUES = {
  "database.secretName": "db",
  "database.appLogin": "app",
  "database.receiverLogin": "hooks",
  "database.readerLogin": "auditor",
  "objectStore.bucket": "outputs",
  "operator.leader": { leaseSeconds: 4, renewDeadlineSeconds: 3, retrySeconds: 0.5 },
  "shim.enabled": true,
  "evidence.enabled": true,
  "receiver.enabled": true,
  "receiver.publicURL": "http://127.0.0.1:1",
  "receiver.keySecretName": "hooks",
  "verify.enabled": true,
  "rbac.inputSecrets": "bound",
};

let audit: Audit;
let environment: Environment;
let admin: Transport;
let roles: Running;
let objects: readonly Rendered[];
let tasks: TaskWatcher;
/** What was asked before there were shards. */
let askedOfOne: readonly Asked[];

const isRight = ({ apiVersion, kind }: Rendered): boolean => apiVersion.startsWith("rbac") || kind === "ServiceAccount";
const limit = (): AbortSignal => AbortSignal.timeout(LIMIT_MS);

beforeAll(async () => {
  audit = makeAudit(NAMESPACE);
  await ensureHelm((line) => void process.stderr.write(`${line}\n`));
  const serverArgs = [...audit.serverArgs, "--feature-gates=WatchList=false"];
  environment = await startEnvironment({ controlPlane: { serverArgs } });
  admin = makeTransport({ kubeConfig: loadKubeConfig(environment.kubeconfigPath) });
  objects = await render({ values: VALUES, namespace: NAMESPACE });
  await applyObjects(environment, [namespaceObject(NAMESPACE), namespaceObject(TENANT)]);
  await applyObjects(environment, objects.filter(isRight));
  roles = await makeRunning(environment, NAMESPACE);
}, LIMIT_MS);

afterAll(async () => {
  await roles.stop();
  await tasks.stop();
  await admin.close();
  await environment.stop();
  audit.close();
}, LIMIT_MS);

const granted = (name: string, from: readonly Rendered[] = objects): readonly Granted[] =>
  from
    .filter(
      ({ kind, metadata }) =>
        ["ClusterRole", "Role"].includes(kind) && [name, `${name}-inputs`].includes(metadata.name),
    )
    .map((role) => ({
      role,
      namespace: role.kind === "Role" ? NAMESPACE : role.metadata.name.endsWith("-inputs") ? TENANT : undefined,
    }));

test(
  "the migrate job brings all from nothing, and can't without the right to create",
  async () => {
    const [{ role }] = granted(`${NAME}-migrate`) as [Granted];
    const rules = role.rules as readonly { readonly verbs: readonly string[] }[];
    await applyObjects(environment, [{ ...role, rules: rules.filter(({ verbs }) => !verbs.includes("create")) }]);
    await expect(roles.once(objects, "migrate")).rejects.toThrow(/forbidden/i);
    await applyObjects(environment, [role]);
    expect(await roles.once(objects, "migrate")).toContain("generationtasks.genop.dev");
  },
  LIMIT_MS,
);

test(
  "the operator takes tasks from the wish to their removal",
  async () => {
    const rbac = { apiGroup: "rbac.authorization.k8s.io" };
    const binding = (name: string, role: string, subject: object): object => ({
      apiVersion: `${rbac.apiGroup}/v1`,
      kind: "RoleBinding",
      metadata: { namespace: TENANT, name },
      roleRef: { ...rbac, kind: "ClusterRole", name: role },
      subjects: [subject],
    });
    await applyObjects(environment, [
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { namespace: TENANT, name: "style" },
        stringData: { seed: "a seed" },
      },
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: TENANT, name: "maker" } },
      binding("inputs", `${NAME}-inputs`, { kind: "ServiceAccount", namespace: NAMESPACE, name: NAME }),
      binding("makers", "edit", { kind: "ServiceAccount", namespace: TENANT, name: "maker" }),
      ...(await providerObjects(environment, [{ name: "simulated" }])),
      quotaObject({ simulated: JSON.stringify({ inFlight: 10 }) }),
      grantObject(TENANT, "first", "100"),
    ]);
    tasks = await watchTasks(environment);
    const { process } = await roles.start(objects, "operator", "leader.term");
    const inputFrom = [{ path: "/seed", secretKeyRef: { name: "style", key: "seed" } }];
    const brief = { ttlSecondsAfterFinished: 1, inputFrom };
    const wish = { namespace: TENANT, model: "sim-image" };
    await applyObjects(environment, [
      taskObject({ ...wish, name: "brief", spec: brief }),
      taskObject({ ...wish, name: "stubborn", simulate: { end: "failed" }, spec: { retryPolicy: { maxAttempts: 3 } } }),
    ]);
    const ended = (name: string): boolean => tasks.get(`${TENANT}/${name}`)?.status?.phase === "Failed";
    await tasks.until("stubborn to fail", () => ended("stubborn"), limit());
    const isOver = (key: string): boolean => tasks.phasesSeen(key).has("Succeeded") && tasks.get(key) === undefined;
    await tasks.until("brief to go", () => isOver(`${TENANT}/brief`), limit());
    await kubectl(environment, ["wait", "gp/simulated", "--for=condition=Ready", "--timeout=60s"]); // told when it has time
    await process.stop(); // writes the counts of events that came again
    askedOfOne = audit.asked();
  },
  LIMIT_MS,
);

test(
  "the shim does what its callers ask for, who have the cluster's role edit",
  async () => {
    const url = `http://127.0.0.1:${(await roles.start(objects, "shim", "rest.listening")).port}`;
    const { token } = await environment.tokenFor(`${TENANT}/maker`);
    const body = { providerRef: { name: "simulated" }, model: "sim-image", input: { prompt: "a harbour" } };
    const made = await ask(url, "POST", "/v1/tasks", { token, key: "one", body });
    expect(made.status).toBe(202);
    const id = made.body.id ?? "";
    const paths = ["/v1/tasks", `/v1/tasks/${id}`, `/v1/tasks/${id}/history`, "/v1/credits", "/v1/providers"];
    for (const path of paths) expect([path, (await ask(url, "GET", path, { token })).status]).toEqual([path, 200]);
    expect((await ask(url, "POST", `/v1/tasks/${id}/suspend`, { token })).status).toBe(202);
    expect((await ask(url, "DELETE", `/v1/tasks/${id}`, { token })).status).toBeLessThan(300);
  },
  LIMIT_MS,
);

test(
  "evidence, receiver and verify do their work, each with its own login",
  async () => {
    const { port } = await roles.start(objects, "evidence", "evidence.listening");
    const { token } = await environment.tokenFor(`${TENANT}/maker`);
    const account = await ask(`http://127.0.0.1:${port}`, "GET", `/v1/namespaces/${TENANT}/account`, { token });
    expect(account.status).toBe(200);
    const receiver = await roles.start(objects, "receiver", "receiver.listening");
    expect((await ask(`http://127.0.0.1:${receiver.port}`, "POST", "/v1/webhooks/none", { body: {} })).status).toBe(
      404,
    );
    expect(await roles.once(objects, "verify")).toContain("hold");
  },
  LIMIT_MS,
);

test(
  "replicas that share the tasks out come and go",
  async () => {
    objects = await render({ values: { ...VALUES, "operator.shards": 2 }, namespace: NAMESPACE });
    await applyObjects(environment, objects.filter(isRight));
    const first = await roles.start(objects, "operator", "leader.term", "first");
    const second = await roles.start(objects, "operator", "leader.term", "second");
    expect(await first.process.stop()).toBe(0);
    expect(await second.process.stop()).toBe(0);
  },
  LIMIT_MS,
);

test("nobody was refused anything", () => {
  // That a patch which creates needs the right to create is found after the audit's decision: the first test sees that.
  expect(audit.asked().filter(({ isAllowed }) => !isAllowed)).toEqual([]);
});

describe("each verb is needed: without it the API server refuses what was asked for", () => {
  test.each([
    { role: "operator of one shard", name: NAME, shards: 1 },
    { role: "operator of several", name: NAME, shards: 2 },
    { role: "shim", name: `${NAME}-shim`, shards: 2 },
    { role: "evidence service", name: `${NAME}-evidence`, shards: 2 },
  ])(
    "$role",
    async ({ name, shards }) => {
      const asked = (shards === 1 ? askedOfOne : audit.asked()).filter(({ account }) => account === name);
      const from = await render({ values: { ...VALUES, "operator.shards": shards }, namespace: NAMESPACE });
      const { objects: reduced, withheld } = withholding(granted(name, from), `${name}-${shards}`);
      await applyObjects(environment, reduced);
      for (const one of withheld) {
        const uses = asked.find((use) => isBy(one, use));
        expect([one.rule, one.verb, uses === undefined ? "was never asked for" : "asked for"]).toEqual([
          one.rule,
          one.verb,
          "asked for",
        ]);
        if (!uses) continue;
        const until = limit();
        // The server knows of the new roles within moments; what the account may still do shows that it does.
        const other = asked.find((use) => !isBy(one, use) && isOfSameRole(one, use, withheld));
        while (other && !(await mayStill(admin, one, other))) until.throwIfAborted();
        expect([one.rule, one.verb, await mayStill(admin, one, uses)]).toEqual([one.rule, one.verb, false]);
      }
    },
    LIMIT_MS,
  );
});
