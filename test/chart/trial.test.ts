// The trial's own provider and the objects that its user applies first: they fit each other, the chart and the schemas.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { KINDS } from "../../crds/kinds.ts";
import { CHART, ensureHelm, NAMESPACE, objectsIn, render, type Rendered } from "./helm.ts";

const BUILD_MS = 1_200_000;
const PROVIDER = join(CHART, "files", "trial-provider.mjs");
const TOKEN = "a-token-for-this-test";

let objects: readonly Rendered[];
let first: readonly Rendered[];
let provider: ChildProcess;
let base: string;

beforeAll(async () => {
  await ensureHelm((line) => void process.stderr.write(`${line}\n`));
  objects = await render({ values: { trial: true } });
  const map = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name.endsWith("-trial"));
  first = objectsIn((map as unknown as { readonly data: Readonly<Record<string, string>> }).data["first.yaml"] ?? "");
  const env = { PATH: process.env.PATH, PORT: "0", TOKEN, JOB_SECONDS: "0" };
  provider = spawn(process.execPath, [PROVIDER], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(provider.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  base = `http://127.0.0.1:${/listening on (\d+)/.exec(line.toString())?.[1] ?? ""}/v1`;
}, BUILD_MS);

afterAll(async () => {
  provider.kill("SIGTERM");
  await once(provider, "exit");
});

const ask = (path: string, method = "GET", body?: object): Promise<Response> =>
  fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}` },
    ...(body && { body: JSON.stringify(body) }),
  });

test("every object that is applied first is one that the operator reads", () => {
  const ours = first.filter(({ apiVersion }) => apiVersion.startsWith("genop.dev/"));
  expect(ours.map(({ kind }) => kind).sort()).toEqual(KINDS.map(({ kind }) => kind).sort());
  for (const { kind, spec } of ours) {
    const found = KINDS.find((one) => one.kind === kind)?.spec.safeParse(spec);
    expect([kind, found?.error?.issues]).toEqual([kind, undefined]);
  }
});

test("its provider is where the chart puts one, and its credential is in the trial's Secret", () => {
  const { baseURL, credentials } = first.find(({ kind }) => kind === "GenerationProvider")?.spec as {
    readonly baseURL: string;
    readonly credentials: { readonly secretRef: { readonly name: string; readonly key: string } };
  };
  const { hostname, port } = new URL(baseURL);
  const [service = "", namespace] = hostname.split(".");
  expect(namespace).toBe(NAMESPACE);
  const found = objects.find(({ kind, metadata }) => kind === "Service" && metadata.name === service);
  expect(found?.spec).toMatchObject({ ports: [{ port: Number(port) }] });
  const secret = objects.find(
    ({ kind, metadata }) => kind === "Secret" && metadata.name === credentials.secretRef.name,
  );
  expect(Object.keys(secret?.stringData as object)).toContain(credentials.secretRef.key);
});

test("a job is made, found by our own id, done, and its picture is a PNG", async () => {
  const made = await ask("/jobs", "POST", { input: { prompt: "a harbour" }, ref: "attempt-1" });
  expect(made.status).toBe(201);
  const { id } = (await made.json()) as { readonly id: string };
  const found = (await (await ask("/jobs?ref=attempt-1")).json()) as { readonly items: readonly object[] };
  expect(found.items).toMatchObject([{ id, ref: "attempt-1", state: "done" }]);
  const job = (await (await ask(`/jobs/${id}`)).json()) as { readonly outputs: readonly { readonly url: string }[] };
  const file = Buffer.from(await (await fetch(job.outputs[0]?.url ?? "")).arrayBuffer());
  expect(file.subarray(1, 4).toString()).toBe("PNG");
  const data = file.subarray(file.indexOf("IDAT") + 4, file.indexOf("IEND") - 8);
  expect(inflateSync(data)).toHaveLength(256 * (1 + 256 * 3));
});

test("what it does not know, and who has no token, gets nothing", async () => {
  expect((await ask("/jobs/none")).status).toBe(404);
  expect((await ask("/outputs/none.png")).status).toBe(404);
  expect((await fetch(`${base}/jobs`, { method: "POST", body: "{}" })).status).toBe(401);
  expect((await ask("/jobs?ref=none").then((answer) => answer.json())) as object).toEqual({ items: [] });
});
