// Certificates and tokens that rotate while a process runs: new calls use new credentials over a new connection where they must,
// and what is under way goes on over the old one.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { KubeConfig } from "@kubernetes/client-node";
import { systemClock, type Clock } from "../../../operator/runtime/clock.ts";
import type { KubeRequest } from "../../../operator/runtime/sender.ts";
import { makeTransport, type Transport } from "../../../operator/runtime/transport.ts";
import { makeCertificate, type Certificate } from "../outbound/certificate.ts";
import { later, never } from "./with-server.ts";

const GET: KubeRequest = { method: "GET", path: "/api/v1/things" };
const WATCH: KubeRequest = { ...GET, query: { watch: true } };
const REREAD_MS = 11_000;

interface Call {
  readonly token: string | undefined;
  /** Of the client's certificate. */
  readonly fingerprint: string;
}

type Shaken = Socket & { getPeerCertificate(): { readonly fingerprint256: string } };

interface Scene {
  readonly calls: Call[];
  readonly connections: () => number;
  readonly transport: Transport;
  readonly logged: readonly string[];
  /** Another certificate for new connections of the server; the open ones keep theirs. */
  readonly present: (certificate: Certificate) => void;
  readonly write: (file: "ca" | "cert" | "key" | "token", text: string) => Promise<void>;
  readonly passTime: () => void;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  later(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

async function set(first: Certificate, client: Certificate): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), "runtime-rotation-"));
  later(() => rm(folder, { recursive: true }));
  const write: Scene["write"] = (file, text) => writeFile(join(folder, file), text);
  const texts = { ca: first.certificate, cert: client.certificate, key: client.key, token: "first" };
  for (const [file, text] of Object.entries(texts)) await write(file as keyof typeof texts, text);

  const calls: Call[] = [];
  let connections = 0;
  const options = { key: first.key, cert: first.certificate, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, (request, response) => {
    const peer = "getPeerCertificate" in request.socket ? (request.socket as Shaken).getPeerCertificate() : undefined;
    calls.push({ token: request.headers.authorization, fingerprint: peer?.fingerprint256 ?? "" });
    if (request.url?.includes("watch") !== true) response.end("{}");
    else response.writeHead(200).write('{"n":1}\n');
  });
  server.on("secureConnection", () => connections++);
  const port = await listen(server);

  const [caFile, certFile, keyFile, tokenFile] = ["ca", "cert", "key", "token"].map((file) => join(folder, file));
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(
    { name: "c", server: `https://localhost:${port}`, skipTLSVerify: false, ...(caFile !== undefined && { caFile }) },
    {
      ...{ name: "u", authProvider: { name: "tokenFile", config: { tokenFile } } },
      ...(certFile !== undefined && keyFile !== undefined && { certFile, keyFile }),
    },
  );
  let passedMs = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + passedMs };
  const logged: string[] = [];
  const transport = makeTransport({ kubeConfig, clock, log: (_, event) => void logged.push(event) });
  later(() => transport.close());
  return {
    ...{ calls, connections: () => connections, transport, logged, write },
    present: ({ certificate, key }) => server.setSecureContext({ cert: certificate, key }),
    passTime: () => (passedMs += REREAD_MS),
  };
}

const call = ({ transport }: Scene): Promise<unknown> => transport.request(GET, { signal: never });

test("another authority: the next call trusts it over a new connection, and a watch under way keeps the old one", async () => {
  const [old, next] = [makeCertificate("localhost"), makeCertificate("localhost")];
  const scene = await set(old, makeCertificate("client"));
  const watch = scene.transport.stream(WATCH, { signal: never })[Symbol.asyncIterator]();
  await watch.next();
  await call(scene);
  const before = scene.connections();

  scene.present(next);
  await scene.write("ca", next.certificate);
  scene.passTime();
  await call(scene);
  await call(scene);
  expect(scene.connections()).toBeGreaterThan(before);
  const ended = watch.next();
  const isStillOpen = await Promise.race([ended.then(() => false), call(scene).then(() => true)]);
  expect(isStillOpen).toBe(true);
  await scene.transport.close();
  await ended.catch(() => undefined);
});

test("another client certificate: the next call shows it, over a new connection", async () => {
  const scene = await set(makeCertificate("localhost"), makeCertificate("client"));
  await call(scene);
  const next = makeCertificate("client");
  await scene.write("cert", next.certificate);
  await scene.write("key", next.key);
  scene.passTime();
  await call(scene);
  const [first, second] = scene.calls.map(({ fingerprint }) => fingerprint);
  expect(second).not.toBe(first);
  expect(scene.connections()).toBeGreaterThan(1);
});

test("another token: the next call carries it, and nothing is made anew for it", async () => {
  const scene = await set(makeCertificate("localhost"), makeCertificate("client"));
  await call(scene);
  await scene.write("token", "second");
  scene.passTime();
  await call(scene);
  expect(scene.calls.map(({ token }) => token)).toEqual(["Bearer first", "Bearer second"]);
  expect(scene.logged).toEqual([]);
});
