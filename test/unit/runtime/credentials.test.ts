// Who we are, as files and configuration say it now.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { KubeConfig } from "@kubernetes/client-node";
import { readCredentials } from "../../../operator/runtime/credentials.ts";
import type { KubeRequest } from "../../../operator/runtime/sender.ts";
import { makeTransport } from "../../../operator/runtime/transport.ts";
import { answer, failure, startScriptedServer } from "./scripted-server.ts";
import { faultOf, later, never } from "./with-server.ts";

const GET: KubeRequest = { method: "GET", path: "/api/v1/things" };
const POST: KubeRequest = { method: "POST", path: "/api/v1/things", body: {} };

test("a token file is read again when the token is refused", async () => {
  const folder = await mkdtemp(join(tmpdir(), "runtime-token-"));
  later(() => rm(folder, { recursive: true }));
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, "old\n");
  const server = await startScriptedServer(({ headers }) =>
    headers.authorization === "Bearer new" ? answer({ ok: true }) : failure(401, "Unauthorized"),
  );
  const user = { authProvider: { name: "tokenFile", config: { tokenFile } } };
  const transport = makeTransport({ kubeConfig: server.kubeConfig(user) });
  later(() => server.close());
  later(() => transport.close());

  expect(await faultOf(transport.request(POST, { signal: never }))).toMatchObject({ status: 401 });
  await writeFile(tokenFile, "new\n");
  expect(await transport.request(POST, { signal: never })).toEqual({ ok: true });
});

test("a user name and password become basic authentication", async () => {
  const server = await startScriptedServer(() => answer({}));
  const transport = makeTransport({ kubeConfig: server.kubeConfig({ username: "ann", password: "pw" }) });
  later(() => server.close());
  later(() => transport.close());
  await transport.request(GET, { signal: never });
  expect(server.asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from("ann:pw").toString("base64")}`);
});

test.each([
  { when: "the bundle of the authorities changed", change: "ca" },
  { when: "the client certificate changed", change: "cert" },
  { when: "nothing changed", change: undefined },
])("connections are made anew only when a certificate differs: $when", async ({ change }) => {
  const folder = await mkdtemp(join(tmpdir(), "runtime-certificates-"));
  later(() => rm(folder, { recursive: true }));
  const [caFile, certFile, keyFile] = ["ca", "cert", "key"].map((name) => join(folder, name));
  if (!caFile || !certFile || !keyFile) throw new Error("three files");
  await Promise.all([caFile, certFile, keyFile].map((file) => writeFile(file, "before")));
  const config = new KubeConfig();
  const cluster = { name: "c", server: "https://server", skipTLSVerify: false, caFile };
  config.loadFromClusterAndUser(cluster, { name: "u", certFile, keyFile });

  const before = await readCredentials(config, never);
  if (change) await writeFile(join(folder, change), "after");
  const after = await readCredentials(config, never);
  expect(after.digest === before.digest).toBe(change === undefined);
});

test("credentials are not sent in the clear unless that was asked for", async () => {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "c", server: "http://server", skipTLSVerify: false },
    { name: "u", token: "t" },
  );
  await expect(readCredentials(config, never)).rejects.toThrow("HTTP protocol is not allowed");
});

test("a configuration without a current cluster says so", async () => {
  await expect(readCredentials(new KubeConfig(), never)).rejects.toThrow(
    "cannot reach the API server: the kubeconfig has no current cluster",
  );
});
