// Who we are and what we may do, taken away and given back by a real API server while caches watch and a leader leads.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { KubeConfig } from "@kubernetes/client-node";
import { sleep } from "../../../operator/runtime/clock.ts";
import { makeElector } from "../../../operator/runtime/elector.ts";
import { makeTransport } from "../../../operator/runtime/transport.ts";
import { kubectl } from "../../env/kubectl.ts";
import { sharedEnvironment } from "../../env/shared.ts";
import { makeFastClock } from "../../unit/runtime/scripted-server.ts";
import { startCallProxy, type CallProxy } from "./call-proxy.ts";
import { follow, later, makeCluster, never } from "./cluster.ts";

const environment = sharedEnvironment();
const LIMIT_MS = 120_000;
const SPEED = 10;
const CONFIG_MAPS = { apiGroups: [""], resources: ["configmaps"] };
const LEASES = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };
const READ = ["get", "list", "watch"];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

async function apply(items: readonly object[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  await kubectl(environment, ["apply", "-f", "-"], { input });
}

function role(namespace: string, rules: readonly Rule[]): object {
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "account", namespace }, rules };
}

/** An account with these rights, and its token. */
async function makeAccount(namespace: string, rules: readonly Rule[]): Promise<string> {
  const metadata = { name: "account", namespace };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "account" };
  const subjects = [{ kind: "ServiceAccount", name: "account", namespace }];
  await apply([
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    role(namespace, rules),
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata, roleRef, subjects },
  ]);
  return tokenOf(namespace);
}

async function tokenOf(namespace: string): Promise<string> {
  return (await environment.tokenFor(`${namespace}/account`)).token;
}

interface Account {
  readonly proxy: CallProxy;
  readonly kubeConfig: KubeConfig;
  readonly give: (token: string) => Promise<void>;
}

/** A way in whose token is in a file, as in a pod. */
async function wayOf(token: string): Promise<Account> {
  const folder = await mkdtemp(join(tmpdir(), "runtime-account-"));
  later(() => rm(folder, { recursive: true }));
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, token);
  const proxy = await startCallProxy(environment);
  later(() => proxy.close());
  const kubeConfig = new KubeConfig();
  const { caFile } = environment;
  kubeConfig.loadFromClusterAndUser(
    { name: "c", server: `https://127.0.0.1:${proxy.port}`, caFile, skipTLSVerify: false },
    { name: "u", authProvider: { name: "tokenFile", config: { tokenFile } } },
  );
  return { proxy, kubeConfig, give: (next) => writeFile(tokenFile, next) };
}

test(
  "a token that the server takes no longer: no spin, and the cache goes on with the next one, without a restart",
  async () => {
    const { namespace, put } = await makeCluster(environment);
    const { proxy, kubeConfig, give } = await wayOf(await makeAccount(namespace, [{ ...CONFIG_MAPS, verbs: READ }]));
    const clock = makeFastClock(SPEED);
    const faults: string[] = [];
    const transport = makeTransport({ kubeConfig, clock });
    later(() => transport.close());
    const { cache, until } = follow(transport, namespace, {
      clock,
      log: (_, __, { error } = {}) => {
        if (error instanceof Error) faults.push(error.message);
      },
    });
    const isRefused = (): boolean => faults.filter((fault) => fault.endsWith("Unauthorized (401)")).length >= 3;
    await cache.whenSynced(never);

    await kubectl(environment, ["delete", "serviceaccount", "account", "-n", namespace]); // its tokens end with it
    while (!isRefused()) {
      proxy.cut({ then: "reset" }); // the server remembers for ten seconds that the token was good
      await sleep(clock, 2_000, never);
    }
    const refusals = faults.length;
    await put("late", {});
    await apply([{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "account", namespace } }]);
    await give(await tokenOf(namespace));
    await until(() => cache.has(`${namespace}/late`));
    expect(proxy.asked.length).toBeLessThan(10 + 5 * refusals); // each round asks a few times and then waits
    expect(proxy.connections()).toBe(1); // the token is in each call: no reason for another connection
  },
  LIMIT_MS,
);

test(
  "the right to watch taken away and given back: the cache holds what it had, and is whole again",
  async () => {
    const { namespace, put } = await makeCluster(environment);
    await put("early", {});
    const rules = [{ ...CONFIG_MAPS, verbs: READ }];
    const { proxy, kubeConfig } = await wayOf(await makeAccount(namespace, rules));
    const clock = makeFastClock(SPEED);
    const transport = makeTransport({ kubeConfig, clock });
    later(() => transport.close());
    const refused = Promise.withResolvers<undefined>();
    let forbidden = 0;
    const { cache, until } = follow(transport, namespace, {
      clock,
      metrics: {
        event: () => undefined,
        relisted: () => undefined,
        restarted: (reason) => {
          if (reason === "Forbidden" && ++forbidden === 3) refused.resolve(undefined);
          else if (forbidden < 3) proxy.cut({ then: "reset" }); // rights spread within moments: until then it is let in
        },
      },
    });
    await until(() => cache.has(`${namespace}/early`));

    await apply([role(namespace, [{ ...CONFIG_MAPS, verbs: ["get", "list"] }])]);
    proxy.cut({ then: "reset" });
    await refused.promise;
    await put("late", {});
    expect(cache.has(`${namespace}/early`)).toBe(true);
    await apply([role(namespace, rules)]);
    await until(() => cache.has(`${namespace}/late`));
  },
  LIMIT_MS,
);

test(
  "the right to renew taken away: the leader ends by its own deadline, asking no more than it must; given back, the next one leads",
  async () => {
    const { namespace } = await makeCluster(environment);
    const verbs = ["get", "list", "watch", "create", "update"];
    const { proxy, kubeConfig } = await wayOf(await makeAccount(namespace, [{ ...LEASES, verbs }]));
    const settings = { leaseMs: 3_000, renewDeadlineMs: 2_000, retryMs: 400 };
    const stop = new AbortController();
    const stand = (identity: string): { readonly led: Promise<void>; readonly ended: Promise<string> } => {
      const transport = makeTransport({ kubeConfig });
      later(() => transport.close());
      const led = Promise.withResolvers<undefined>();
      const elector = makeElector({
        ...{ transport, namespace, name: "lease", identity, settings },
        onStartedLeading: (_, lost) => {
          led.resolve(undefined);
          return new Promise((resolve) => {
            for (const signal of [lost, stop.signal]) signal.addEventListener("abort", () => resolve());
          });
        },
      });
      return { led: led.promise, ended: elector.run({ stop: stop.signal, force: never }) };
    };
    const first = stand("first");
    await first.led;
    const before = proxy.asked.length;
    await apply([role(namespace, [{ ...LEASES, verbs: READ }])]);
    expect(await first.ended).toBe("lost");
    expect(proxy.asked.length - before).toBeLessThan(60);

    const second = stand("second");
    await apply([role(namespace, [{ ...LEASES, verbs }])]);
    await second.led;
    stop.abort(new Error("stop"));
    expect(await second.ended).toBe("released");
  },
  LIMIT_MS,
);
