// The example of the guide, taken from the guide, run as a process of its own with no more rights than the guide says.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { LEASES, type Lease } from "../../../operator/runtime/lease.ts";
import type { KubeObject } from "../../../operator/runtime/objects.ts";
import { makeResource } from "../../../operator/runtime/resources.ts";
import { kubectl } from "../../env/kubectl.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { follow, later, makeCluster, never } from "./cluster.ts";

const environment = sharedEnvironment();
const ROOT = new URL("../../../", import.meta.url).pathname;
const RUNTIME = join(ROOT, "operator/runtime");
const LIMIT_MS = 90_000;

function example(): string {
  const guide = readFileSync(join(RUNTIME, "README.md"), "utf8");
  const source = /```ts\n(?<source>[^]*?)```/.exec(guide)?.groups?.source;
  if (source === undefined) throw new Error("the guide has no example");
  return source;
}

/** Writes the example where its imports resolve. */
function writeExample(): string {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".cache/runtime-example-"));
  later(() => rm(folder, { recursive: true }));
  const program = join(folder, "operator.ts");
  writeFileSync(program, example().replaceAll('"./runtime/', `"${RUNTIME}/`));
  return program;
}

/** An account with the rights that the guide names. */
async function makeAccount(namespace: string): Promise<string> {
  const rules = [
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "list", "watch", "create", "update"] },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
  ];
  const metadata = { name: "measure", namespace };
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata };
  const objects = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { ...rbac, kind: "Role", rules },
    {
      ...rbac,
      kind: "RoleBinding",
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "measure" },
      subjects: [{ kind: "ServiceAccount", name: "measure", namespace }],
    },
  ];
  const list = { apiVersion: "v1", kind: "List", items: objects };
  await kubectl(environment, ["apply", "-f", "-"], { input: JSON.stringify(list) });
  return (await environment.tokenFor(`${namespace}/measure`)).kubeconfigPath;
}

function start(
  program: string,
  namespace: string,
  kubeconfig: string,
): { child: ChildProcess; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [program, namespace], {
    env: { ...process.env, KUBECONFIG: kubeconfig, NODE_OPTIONS: "" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  later(() => {
    child.kill("SIGKILL");
    return ended;
  });
  return { child, ended };
}

test(
  "the example has at most sixty lines, and its types are right",
  () => {
    expect(example().trimEnd().split("\n").length).toBeLessThanOrEqual(60);
    const folder = dirname(writeExample());
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(ROOT, "tsconfig.json"), include: ["*.ts"] }),
    );
    execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { stdio: "inherit" });
  },
  LIMIT_MS,
);

test(
  "the example does what it says, tells people, and hands over to its successor when it is stopped",
  async () => {
    const { namespace, direct, put } = await makeCluster(environment);
    const kubeconfig = await makeAccount(namespace);
    const program = writeExample();
    const { cache, until } = follow(direct, namespace);
    const measured = (name: string): string | undefined =>
      cache.get(`${namespace}/${name}`)?.metadata.annotations?.["example.org/bytes"];

    await put("early", { text: "größe" }, { "example.org/measured": "true" });
    const first = start(program, namespace, kubeconfig);
    await until(() => measured("early") === "7");
    await put("other", { text: "four" });
    await put("late", { text: "four" }, { "example.org/measured": "true" });
    await until(() => measured("late") === "4");
    expect(measured("other")).toBeUndefined();

    start(program, namespace, kubeconfig);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    await put("late", { text: "seven" }, { "example.org/measured": "true" });
    await until(() => measured("late") === "5");

    const lease = await makeResource<Lease>(direct, LEASES).get(`${namespace}/measure`, { signal: never });
    expect(lease?.spec?.leaseTransitions).toBe(1);
    const kind = { group: "events.k8s.io", version: "v1", plural: "events", namespaced: true };
    const events: KubeObject[] = [];
    for await (const event of makeResource<KubeObject>(direct, kind).list({ namespace }, { signal: never }))
      events.push(event);
    expect(events).toContainEqual(expect.objectContaining({ reason: "Measured", note: "7 bytes" }));
  },
  LIMIT_MS,
);
