// The shared environment from a test's side: every part answers, as what it claims to be.
import { CreateMultipartUploadCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import pg from "pg";
import { kubectl } from "../../env/kubectl.ts";
import { freshDatabase, sharedEnvironment, type FreshDatabase } from "../../env/shared.ts";

jest.setTimeout(60_000);

const environment = sharedEnvironment();
let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase(environment);
});

afterAll(async () => {
  await database.drop();
  await kubectl(environment, ["delete", "namespace", "env-test", "--ignore-not-found", "--wait=false"]);
});

function objectStore(): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey } = environment.s3;
  return new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
}

async function rows(url: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test("the API server knows its version, so that feature gates follow it", async () => {
  const version = JSON.parse(await kubectl(environment, ["version", "-o", "json"])) as { serverVersion: object };
  expect(version.serverVersion).toMatchObject({ major: "1", gitVersion: expect.stringMatching(/^v1\.\d+\.\d+$/) });
});

test("a service account may do what its role says and nothing else", async () => {
  const manifests = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "env-test" } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "reader", namespace: "env-test" } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "reader", namespace: "env-test" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "reader", namespace: "env-test" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "env-test" }],
    },
  ];
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests });
  await kubectl(environment, ["apply", "-f", "-"], { input });

  const { kubeconfigPath } = await environment.tokenFor("env-test/reader");

  await expect(
    kubectl(environment, ["-n", "env-test", "get", "configmaps"], { kubeconfigPath }),
  ).resolves.toBeDefined();
  await expect(kubectl(environment, ["-n", "env-test", "get", "secrets"], { kubeconfigPath })).rejects.toThrow(
    /Forbidden/,
  );
});

test("asking a token for a service account that is not there says so", async () => {
  await expect(environment.tokenFor("default/nobody-made-this")).rejects.toThrow(/"default\/nobody-made-this".*404/);
  await expect(environment.tokenFor("default")).rejects.toThrow(/write namespace\/name/);
});

test("an object goes with its owner, as the controller manager runs", async () => {
  const create = ["-n", "default", "create", "configmap"];
  await kubectl(environment, [...create, "env-test-owner"]);
  const owner = JSON.parse(await kubectl(environment, ["get", "configmap", "env-test-owner", "-o", "json"])) as {
    metadata: { uid: string };
  };
  const owned = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "env-test-owned",
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "env-test-owner", uid: owner.metadata.uid }],
    },
  };
  await kubectl(environment, ["create", "-f", "-"], { input: JSON.stringify(owned) });

  await kubectl(environment, ["delete", "configmap", "env-test-owner"]);

  await kubectl(environment, ["wait", "--for=delete", "configmap/env-test-owned", "--timeout=50s"]);
});

test("databases are copied from a template that is prepared once, whoever comes first", async () => {
  let prepared = 0;
  const name = `template_${database.name}`;
  const prepare = async (url: string) => {
    prepared += 1;
    await rows(url, "create table kept (value int); insert into kept values (7)");
  };
  const templates = await Promise.all([1, 2, 3].map(() => environment.postgres.template(name, prepare)));
  const copy = await freshDatabase(environment, { template: templates[0] ?? "" });

  expect(prepared).toBe(1);
  expect(await rows(copy.url, "select value from kept")).toEqual([{ value: 7 }]);

  await copy.drop();
  await environment.postgres.dropDatabase(name);
});

test("a database is in Postgres 18 and sorts as the C locale does", async () => {
  const [row] = await rows(
    database.url,
    "select current_setting('server_version_num')::int / 10000 as major, 'a' > 'B' as c",
  );
  expect(row).toEqual({ major: 18, c: true });
});

test("the provider simulator answers at both of its addresses", async () => {
  const { baseUrl, adminUrl } = environment.provider;
  await expect(fetch(`${baseUrl}/v1/jobs`)).resolves.toMatchObject({ status: 401 }); // no key
  await expect(fetch(`${adminUrl}/`)).resolves.toMatchObject({ status: expect.any(Number) });
});

test("the S3 server refuses to overwrite and to store what it did not get", async () => {
  const { bucket } = environment.s3;
  const client = objectStore();
  const put = (input: object) =>
    client.send(new PutObjectCommand({ Bucket: bucket, Key: "env-test", Body: "x", ...input }));

  await put({ IfNoneMatch: "*" });
  await expect(put({ IfNoneMatch: "*" })).rejects.toMatchObject({ name: "PreconditionFailed" });
  const wrong = Buffer.alloc(32).toString("base64");
  await expect(put({ ChecksumSHA256: wrong })).rejects.toMatchObject({ name: "BadDigest" });
  await expect(client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: "big" }))).resolves.toMatchObject({
    UploadId: expect.any(String),
  });
  client.destroy();
});
