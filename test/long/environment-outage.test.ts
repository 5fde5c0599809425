// A part that is stopped, killed or frozen and comes back keeps its port and its data. Uses an environment of its own.
import { HeadObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import pg from "pg";
import { startEnvironment, type Environment } from "../env/environment.ts";
import { kubectl } from "../env/kubectl.ts";
import type { Part } from "../env/part.ts";

jest.setTimeout(120_000);

let environment: Environment;

beforeAll(async () => {
  environment = await startEnvironment({ provider: false });
});

afterAll(() => environment.stop());

async function query(text: string, limitMs = 5_000): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: environment.postgres.adminUrl, connectionTimeoutMillis: limitMs });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

type Ending = readonly [how: string, end: (part: Part) => Promise<void>];

const ENDINGS: readonly Ending[] = [
  ["stopped", (part) => part.stop()],
  ["killed", (part) => part.kill()],
];

test.each(ENDINGS)("Postgres that was %s still has what was committed", async (how, end) => {
  const postgres = environment.part("postgres");
  await query(`create table ${how} as select 1 as value`);

  await end(postgres);

  await expect(query("select 1")).rejects.toThrow(/ECONNREFUSED/);
  await expect(postgres.pid()).resolves.toBeUndefined();
  await postgres.start();
  expect(await query(`select value from ${how}`)).toEqual([{ value: 1 }]);
});

test("an API server over an etcd that was killed still has its objects", async () => {
  const [etcd, apiServer] = [environment.part("etcd"), environment.part("kube-apiserver")];
  await kubectl(environment, ["create", "configmap", "before-etcd-was-killed"]);

  await etcd.kill();
  await etcd.start();
  await apiServer.kill(); // what it has in memory does not count
  await apiServer.start();

  await expect(kubectl(environment, ["get", "configmap", "before-etcd-was-killed"])).resolves.toMatch(/before/);
});

test.each(ENDINGS)("an API server that was %s takes its old tokens and kubeconfig", async (_how, end) => {
  const apiServer = environment.part("kube-apiserver");
  const { kubeconfigPath } = await environment.tokenFor("default/default");

  await end(apiServer);
  await apiServer.start();

  await expect(kubectl(environment, ["auth", "whoami"], { kubeconfigPath })).resolves.toMatch(/default:default/);
});

test.each(ENDINGS)("an S3 server that was %s still has its objects", async (how, end) => {
  const { endpoint, region, accessKeyId, secretAccessKey, bucket } = environment.s3;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: how, Body: "kept" }));

  await end(environment.part("s3"));
  await environment.part("s3").start();

  const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: how, ChecksumMode: "ENABLED" }));
  expect(head).toMatchObject({ ContentLength: 4, ChecksumCRC32: "+yhqBg==" }); // of "kept"
  client.destroy();
});

test("a frozen Postgres answers nobody, new or connected, and goes on when it thaws", async () => {
  const postgres = environment.part("postgres");
  const client = new pg.Client({ connectionString: environment.postgres.adminUrl });
  await client.connect();
  await client.query("select 1"); // its backend exists now

  await postgres.pause();
  let answered = false;
  const late = client.query("select 2 as value").finally(() => (answered = true));
  await expect(query("select 1", 300)).rejects.toThrow(/timeout/);
  expect(answered).toBe(false);

  await postgres.resume();
  expect((await late).rows).toEqual([{ value: 2 }]);
  await client.end();
});

test("starting a part that runs, or asking for one that was left out, is refused", async () => {
  await expect(environment.part("s3").start()).rejects.toThrow("cannot start s3: it is running");
  expect(() => environment.part("provider")).toThrow("cannot use provider: this environment was started without it");
  expect(() => environment.provider).toThrow(/started without it/);
});
