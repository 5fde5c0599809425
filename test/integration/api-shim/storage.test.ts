// Signed URLs on the real object store: an upload is bound to its key, type, size and checksum, and good once; an asset is read
// by whoever may read its task.
import { createHash } from "node:crypto";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { request } from "undici";
import { ask, WISH, type Answer } from "./client.ts";
import { limit, makeWorld, type RunningShim, type World } from "./fixture.ts";

let world: World;
let shim: RunningShim;
let s3: S3Client;
beforeAll(async () => {
  world = await makeWorld();
  shim = await world.start();
  const { accessKeyId, endpoint, region, secretAccessKey } = world.environment.s3;
  s3 = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
});
afterAll(async () => {
  s3.destroy();
  await world.close();
});

interface Upload {
  readonly url: string;
  readonly uri: string;
  readonly readUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

const BYTES = Buffer.from("sixteen bytes ok");
const sha256 = createHash("sha256").update(BYTES).digest("hex");

async function upload(body: object = { mediaType: "image/png", bytes: BYTES.length }): Promise<Upload> {
  const made = await ask(shim.url, "POST", "/v1/uploads", { token: world.tokens.tenant, body });
  expect(made.status).toBe(201);
  return made.body as unknown as Upload;
}

async function put(url: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<number> {
  const { body: answer, statusCode } = await request(url, { method: "PUT", body, headers, signal: limit() });
  await answer.dump();
  return statusCode;
}

test("what was announced can be put there, and read by whoever has the URL for it", async () => {
  const { headers, readUrl, uri, url } = await upload({ mediaType: "image/png", bytes: BYTES.length, sha256 });
  expect(uri).toContain(`/uploads/${world.tenant}/`);
  expect(await put(url, BYTES, headers)).toBe(200);
  const read = await request(readUrl, { signal: limit() });
  expect([read.statusCode, await read.body.text()]).toEqual([200, BYTES.toString()]);
  expect(read.headers["content-type"]).toBe("image/png");
  expect(await put(url, BYTES, headers)).toBe(412); // what a task may read already is not replaced
});

test("what was announced without a checksum can be put there too", async () => {
  const { headers, url } = await upload();
  expect(await put(url, BYTES, headers)).toBe(200);
});

test.each([
  {
    what: "more bytes",
    isSummed: false, // by the size alone
    change: (one: Upload) => ({
      ...one,
      body: Buffer.from("seventeen bytes !"),
      headers: { ...one.headers, "content-length": "17" },
    }),
  },
  {
    what: "fewer bytes",
    isSummed: false,
    change: (one: Upload) => ({
      ...one,
      body: BYTES.subarray(1),
      headers: { ...one.headers, "content-length": "15" },
    }),
  },
  {
    what: "another type",
    change: (one: Upload) => ({ ...one, headers: { ...one.headers, "content-type": "text/html" } }),
  },
  {
    what: "another key",
    change: (one: Upload) => ({ ...one, url: one.url.replace(/uploads\/[^/]+\//, "uploads/other/") }),
  },
  {
    what: "no condition",
    change: (one: Upload) => ({
      ...one,
      headers: Object.fromEntries(Object.entries(one.headers).filter(([name]) => name !== "if-none-match")),
    }),
  },
  {
    what: "other bytes than those of the checksum",
    change: (one: Upload) => ({ ...one, body: Buffer.from("sixteen bytes no") }),
  },
])("an upload with $what is refused", async ({ change, isSummed = true }) => {
  const announced = { mediaType: "image/png", bytes: BYTES.length, ...(isSummed && { sha256 }) };
  const changed: Upload & { readonly body?: Buffer } = change(await upload(announced));
  expect(await put(changed.url, changed.body ?? BYTES, changed.headers)).toBeGreaterThanOrEqual(400);
  const read = await request(changed.readUrl, { signal: limit() });
  await read.body.dump();
  expect(read.statusCode).toBe(404);
});

test("an upload that is too large, or of no type, is not even signed", async () => {
  const bodies = [
    { mediaType: "image/png", bytes: 2 ** 40 },
    { mediaType: "x/y", bytes: 1 },
    { mediaType: "image/png" },
  ];
  const answers = await Promise.all(
    bodies.map((body) => ask(shim.url, "POST", "/v1/uploads", { token: world.tokens.tenant, body })),
  );
  expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
});

async function taskWithAsset(key: string, uri: string): Promise<string> {
  const made = await ask(shim.url, "POST", "/v1/tasks", { token: world.tokens.tenant, key, body: WISH });
  const id = String(made.body.id);
  const asset = { name: "output-0", uri, mediaType: "image/png", bytes: BYTES.length, sha256 };
  await world.setStatus(id, { phase: "Succeeded", assets: [asset] });
  return id;
}

function asset(id: string, name = "output-0", token = world.tokens.tenant): Promise<Answer> {
  return ask(shim.url, "GET", `/v1/tasks/${id}/assets/${name}`, { token });
}

test("an asset is a redirect to a URL that is good for minutes, for readers too", async () => {
  const { bucket } = world.environment.s3;
  const key = `assets/${world.tenant}/key/attempt/output-0`;
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: BYTES }));
  const id = await taskWithAsset("asset", `s3://${bucket}/${key}`);
  const answer = await asset(id, "output-0", world.tokens.reader);
  expect(answer.status).toBe(302);
  const url = new URL(String(answer.headers.location));
  expect(url.searchParams.get("X-Amz-Expires")).toBe("300");
  const read = await request(url, { signal: limit() });
  expect([read.statusCode, await read.body.text(), read.headers["content-type"]]).toEqual([
    200,
    BYTES.toString(),
    "image/png",
  ]);
  expect((await asset(id, "output-1")).status).toBe(404);

  const link = await ask(shim.url, "GET", `/v1/tasks/${id}/assets/output-0/link`, { token: world.tokens.reader });
  expect(Date.parse(String(link.body.expiresAt))).toBeGreaterThan(Date.now());
  const linked = await request(String(link.body.url), { signal: limit() });
  expect([linked.statusCode, await linked.body.text()]).toEqual([200, BYTES.toString()]);
});

test.each([
  { what: "of another namespace", uri: (bucket: string) => `s3://${bucket}/assets/other/key/attempt/output-0` },
  { what: "of another bucket", uri: () => "s3://elsewhere/assets/x/key/attempt/output-0" },
  {
    what: "that leaves its folder",
    uri: (bucket: string, tenant: string) => `s3://${bucket}/assets/${tenant}/../other/a`,
  },
  { what: "in staging", uri: (bucket: string) => `s3://${bucket}/staging/attempt/0` },
])("an address $what, written into the status by somebody else, is not signed", async ({ uri, what }) => {
  const id = await taskWithAsset(`forged-${what.replaceAll(" ", "-")}`, uri(world.environment.s3.bucket, world.tenant));
  expect((await asset(id)).status).toBe(404);
  const link = await ask(shim.url, "GET", `/v1/tasks/${id}/assets/output-0/link`, { token: world.tokens.tenant });
  expect(link.status).toBe(404);
});
