// The exec plugin of a kubeconfig as a real process: what it prints it reads from us, so that it hangs for as long as we say nothing.
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import type { User } from "@kubernetes/client-node";
import { makeCluster } from "../../../cli/cluster/client.ts";
import { KubeError } from "../../../operator/runtime/errors.ts";
import { makeTransport, type Transport } from "../../../operator/runtime/transport.ts";
import { makeManualClock, type ManualClock } from "./manual-clock.ts";
import { answer, startScriptedServer, type ScriptedServer } from "./scripted-server.ts";
import { faultOf, later, never } from "./with-server.ts";

const GET = { method: "GET", path: "/api/v1/things" } as const;
/** Is not repeated by itself. */
const POST = { ...GET, method: "POST" } as const;
const credential = (token: string): string =>
  JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: { token } });

/** The plugins that were started: the other ends of their pipes. */
interface Plugins {
  readonly user: Partial<User>;
  started(): Promise<Socket>;
}

async function listenForPlugins(exitCode = 0): Promise<Plugins> {
  const waiting: ((plugin: Socket) => void)[] = [];
  const come: Socket[] = [];
  const server: Server = createServer((plugin) => {
    plugin.on("error", () => undefined).resume(); // one that is killed resets
    const next = waiting.shift();
    if (next) next(plugin);
    else come.push(plugin);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  later(async () => {
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const script = `require("net").connect(${port}, "127.0.0.1").on("end", () => (process.exitCode = ${exitCode})).pipe(process.stdout)`;
  return {
    user: { exec: { command: process.execPath, args: ["-e", script] } },
    started: () => {
      const [first] = come.splice(0, 1);
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

const gone = (plugin: Socket): Promise<void> =>
  plugin.destroyed ? Promise.resolve() : new Promise((resolve) => plugin.once("close", () => resolve()));

interface Scene {
  readonly clock: ManualClock;
  readonly plugins: Plugins;
  readonly server: ScriptedServer;
  readonly transport: Transport;
}

async function set(exitCode = 0): Promise<Scene> {
  const plugins = await listenForPlugins(exitCode);
  const server = await startScriptedServer(() => answer({ ok: true }));
  later(() => server.close());
  const clock = makeManualClock();
  const transport = makeTransport({ kubeConfig: server.kubeConfig(plugins.user), clock });
  later(() => transport.close());
  return { clock, plugins, server, transport };
}

test("a plugin that hangs is killed, its calls are told why, and the next call asks a new one", async () => {
  const { clock, plugins, server, transport } = await set();
  const fault = faultOf(transport.request(POST, { signal: never }));
  const hanging = await plugins.started();
  await clock.advance(25_000);
  expect(await fault).toMatchObject({
    reason: "Unreachable",
    cause: { message: "cannot authenticate: the kubeconfig's plugin or token server gave no credential within 25 s" },
  });
  await gone(hanging);

  const result = transport.request(GET, { signal: never });
  (await plugins.started()).end(credential("second"));
  expect(await result).toEqual({ ok: true });
  expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer second"]);
});

test("a plugin that hangs does not outlive the transport, and nothing is sent after it was closed", async () => {
  const { plugins, server, transport } = await set();
  const fault = faultOf(transport.request(POST, { signal: never }));
  const hanging = await plugins.started();
  await transport.close();
  await gone(hanging);
  expect(await fault).toBeInstanceOf(KubeError);
  expect(server.asked).toEqual([]);
});

test.each([
  { when: "prints no credential", prints: "eyJhbGciOi-secret", exitCode: 0, says: "printed no credential" },
  { when: "fails", prints: "secret", exitCode: 3, says: "ended with 3" },
])("a plugin that $when is told of without a word of what it wrote", async ({ exitCode, prints, says }) => {
  const { plugins, transport } = await set(exitCode);
  const fault = faultOf(transport.request(POST, { signal: never }));
  (await plugins.started()).end(prints);
  const cause = ((await fault) as Error).cause as Error;
  expect(cause.message).toBe(`cannot authenticate: the exec plugin of the kubeconfig ${says}`);
  expect(cause.cause).toBeUndefined();
});

test("a plugin that cannot be started is told of, and the name of its program is not", async () => {
  const server = await startScriptedServer(() => answer({}));
  later(() => server.close());
  const transport = makeTransport({ kubeConfig: server.kubeConfig({ exec: { command: "no-such-plugin" } }) });
  later(() => transport.close());
  const fault = await faultOf(transport.request(POST, { signal: never }));
  expect((fault as Error).cause).toMatchObject({
    message: "cannot authenticate: the exec plugin of the kubeconfig cannot be started",
  });
});

test("a command that is broken off does not wait for a plugin that hangs", async () => {
  const plugins = await listenForPlugins();
  const server = await startScriptedServer(() => answer({}));
  later(() => server.close());
  const cluster = makeCluster(server.kubeConfig(plugins.user));
  const interrupt = new AbortController();
  const fault = faultOf(cluster.call({ path: "/api/v1/things" }, interrupt.signal));
  const hanging = await plugins.started();
  interrupt.abort(new Error("SIGINT"));
  expect(await fault).toMatchObject({ message: "SIGINT" });
  await cluster.close();
  await gone(hanging);
});
