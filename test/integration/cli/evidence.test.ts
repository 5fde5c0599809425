// The evidence service: who is told, what strangers are told, and the way to it through the API server's proxy.
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { micro } from "../../../operator/task/credits.ts";
import { kubectl } from "../../env/kubectl.ts";
import { applyObjects } from "../../operator/installation.ts";
import { wish } from "../postgres/desk.ts";
import { openCounter, type Counter } from "./counter.ts";

let counter: Counter;
let tenant: string;
beforeAll(async () => {
  counter = await openCounter("0.0.0.0"); // the API server's proxy reaches no Service on loopback
  ({ tenant } = counter.world);
  await counter.desk.grant(tenant, 5_000_000n);
  await counter.parkedTask("lost");
});
afterAll(() => counter.close());

describe("the evidence service", () => {
  const paths = ["tasks/lost", "tasks/nothing", "account", "account?lines=5"];
  const ask = async (path: string, headers: Readonly<Record<string, string>>, method = "GET"): Promise<Response> =>
    fetch(`http://127.0.0.1:${counter.evidence.port}/v1/namespaces/${tenant}/${path}`, { method, headers });

  test.each(paths)("tells a stranger nothing of %s, nor whether it is there", async (path) => {
    const { stranger } = counter.world.tokens;
    const answer = await ask(path, { authorization: `Bearer ${stranger}` });
    expect(answer.status).toBe(403);
    const { message } = (await answer.json()) as { readonly message: string };
    expect(message).toMatch(/^cannot tell: you may not (get generationtasks|list creditgrants) there$/);
  });

  test.each(paths)("tells nobody without a good token anything of %s", async (path) => {
    expect((await ask(path, {})).status).toBe(401);
    expect((await ask(path, { authorization: "Bearer made.up" })).status).toBe(401);
    expect((await ask(path, { "x-remote-user": "system:admin" })).status).toBe(401);
  });

  test("tells who may read tasks of attempts, and not of the account", async () => {
    const { reader } = counter.world.tokens;
    expect((await ask("tasks/lost", { authorization: `Bearer ${reader}` })).status).toBe(200);
    expect((await ask("account", { authorization: `Bearer ${reader}` })).status).toBe(403);
  });

  test("tells of no other tenant's rows, whatever names are alike", async () => {
    const { stranger, tokens } = counter.world;
    await counter.desk.begun(wish({ namespace: tenant, name: "alike", estimate: micro(7n) }));
    const answer = await fetch(`http://127.0.0.1:${counter.evidence.port}/v1/namespaces/${stranger}/tasks/alike`, {
      headers: { authorization: `Bearer ${tokens.stranger}` },
    });
    expect(answer.status).toBe(404);
    const account = await fetch(`http://127.0.0.1:${counter.evidence.port}/v1/namespaces/${stranger}/account`, {
      headers: { authorization: `Bearer ${tokens.stranger}` },
    });
    expect(await account.json()).toMatchObject({ available: "0", held: "0", lines: [] });
  });

  test("takes GET alone, and no path but its own", async () => {
    const authorization = `Bearer ${counter.world.tokens.tenant}`;
    expect((await ask("account", { authorization }, "POST")).status).toBe(405);
    for (const path of ["", "tasks", "tasks/..%2f", "account?lines=0", "secrets/x"])
      expect((await ask(path, { authorization })).status).toBe(404);
  });

  // Without an address of its own beside loopback a machine has nothing that the proxy would reach.
  const [address] = Object.values(networkInterfaces()).flatMap((found) =>
    (found ?? []).filter(({ family, internal }) => family === "IPv4" && !internal),
  );
  (address ? test : test.skip)(
    "is reached through the API server's proxy, which hands the token on in a header of ours",
    async () => {
      const { environment, home } = counter.world;
      const metadata = { namespace: home, name: "genop-evidence" };
      await counter.parkedTask("proxied");
      await applyPod({ ip: address?.address ?? "", port: counter.evidence.port, metadata });
      const place = { GENOP_EVIDENCE: `${home}/genop-evidence:8092` };
      // Nobody may reach it before RBAC says so; then the service itself asks who it is.
      const before = await counter.genop(["why", "proxied"], { variables: place });
      expect(before.out).toMatch(/Attempts\n {2}not shown: services "genop-evidence:8092" is forbidden/);
      const rules = [
        { apiGroups: [""], resources: ["services/proxy"], resourceNames: ["genop-evidence:8092"], verbs: ["get"] },
      ];
      const subjects = [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:authenticated" }];
      const rbac = "rbac.authorization.k8s.io";
      await applyObjects(environment, [
        { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules },
        {
          apiVersion: `${rbac}/v1`,
          kind: "RoleBinding",
          metadata,
          roleRef: { apiGroup: rbac, kind: "Role", name: metadata.name },
          subjects,
        },
      ]);
      expect((await counter.genop(["why", "proxied"], { variables: place })).out).toContain("#2 NotCreated");
      const asAccount = await counter.genop(["why", "proxied", "--account", "reader"], {
        kubeconfig: counter.kubeconfigs.admin,
        variables: place,
      });
      expect(asAccount.out).toContain("#2 NotCreated");
      expect(asAccount.out).not.toContain("the namespace has"); // the account of a reader may not list grants
      const stranger = await counter.genop(["credits"], { kubeconfig: counter.kubeconfigs.stranger, variables: place });
      expect([stranger.code, stranger.out]).toEqual([1, ""]);
    },
  );
});

/** A Service whose one Pod is here: the proxy believes in no address that is not a Pod's. */
async function applyPod({
  ip,
  metadata,
  port,
}: {
  readonly ip: string;
  readonly port: number;
  readonly metadata: { readonly namespace: string; readonly name: string };
}): Promise<void> {
  const { environment } = counter.world;
  const { name, namespace } = metadata;
  const target = { kind: "Pod", namespace, name };
  await applyObjects(environment, [
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata,
      spec: { automountServiceAccountToken: false, containers: [{ name: "evidence", image: "evidence" }] },
    },
    { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ name: "http", port: 8092, targetPort: port }] } },
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata,
      subsets: [{ addresses: [{ ip, targetRef: target }], ports: [{ name: "http", port }] }],
    },
  ]);
  const patch = JSON.stringify({ status: { phase: "Running", podIP: ip, podIPs: [{ ip }] } });
  await kubectl(environment, [
    "patch",
    "pod",
    name,
    "-n",
    namespace,
    "--subresource=status",
    "--type=merge",
    "-p",
    patch,
  ]);
}
