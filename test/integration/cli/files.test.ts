// What kubectl genop makes and brings: tasks from words and files, decisions, assets; and the bundled file as kubectl's plugin.
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openCounter, type Counter, type Ending } from "./counter.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

let counter: Counter;
let folder: string;
let tenant: string;
beforeAll(async () => {
  [counter, folder] = await Promise.all([openCounter(), mkdtemp(join(tmpdir(), "genop-cli-"))]);
  ({ tenant } = counter.world);
  await counter.desk.grant(tenant, 5_000_000n);
  await counter.parkedTask("lost");
});
afterAll(async () => {
  await counter.close();
  await rm(folder, { recursive: true, force: true });
});

describe("submit, cancel and resolve", () => {
  const specOf = async (name: string): Promise<unknown> =>
    (await counter.world.tasks.get(`${tenant}/${name}`, { signal: AbortSignal.timeout(25_000) }))?.spec;

  test("a task is made of words", async () => {
    const words = [
      "submit",
      "made",
      "--provider",
      "simulated",
      "--model",
      "sim-image",
      "--input",
      "prompt=a=b",
      "--input",
      "steps:=4",
      "--key",
      "order-1",
    ];
    expect(await counter.genop(words)).toEqual({ code: 0, out: "generationtask.genop.dev/made created\n", err: "" });
    expect(await specOf("made")).toMatchObject({ input: { prompt: "a=b", steps: 4 }, idempotencyKey: "order-1" });
    const { code, err } = await counter.genop(words);
    expect([code, err]).toEqual([1, expect.stringContaining('"made" already exists')]);
  });

  test("a task is made of a file, and what is wrong in it is said in the API server's words", async () => {
    const file = join(folder, "task.yaml");
    await writeFile(
      file,
      "apiVersion: genop.dev/v1alpha1\nkind: GenerationTask\nmetadata: { name: filed }\nspec: { providerRef: { name: simulated }, model: m, input: {}, oops: 1 }\n",
    );
    expect((await counter.genop(["submit", "-f", file])).err).toMatch(/unknown field "spec.oops"/);
    await writeFile(file, (await readFile(file, "utf8")).replace(", oops: 1", ""));
    expect((await counter.genop(["submit", "-f", file, "--dry-run", "-o", "name"])).out).toBe(
      "generationtask.genop.dev/filed\n",
    );
    expect(await specOf("filed")).toBeUndefined();
  });

  test("cancelling asks for it", async () => {
    await counter.task("unwanted");
    expect((await counter.genop(["cancel", "unwanted"])).out).toBe(
      "generationtask.genop.dev/unwanted cancel requested\n",
    );
    expect(await specOf("unwanted")).toMatchObject({ cancelRequested: true });
  });

  test("a decision names the attempt that was looked at, and only tasks that need one get one", async () => {
    await counter.parkedTask("undecided");
    expect((await counter.genop(["resolve", "undecided", "--bind-job", "job-1", "--note", "seen"])).code).toBe(0);
    expect(await specOf("undecided")).toMatchObject({
      resolution: { attempt: 3, decision: "BindJob", jobID: "job-1", note: "seen" },
    });
    expect((await counter.genop(["resolve", "undecided", "--not-created"])).code).toBe(0);
    expect(await specOf("undecided")).toMatchObject({ resolution: { attempt: 3, decision: "NotCreated" } });
    expect(JSON.stringify(await specOf("undecided"))).not.toContain("job-1");
    await counter.task("clear", { phase: "Polling", reason: "Running", message: "it runs" });
    expect((await counter.genop(["resolve", "clear", "--write-off"])).err).toContain(
      "it is Polling and needs no decision",
    );
    expect((await counter.genop(["resolve", "undecided"])).err).toContain("say one of");
  });
});

describe("assets get", () => {
  const BYTES = Buffer.alloc(3_000_000, "pixels");
  const sha256 = createHash("sha256").update(BYTES).digest("hex");
  const asset = { name: "output-0", mediaType: "image/png", bytes: BYTES.length, sha256 };
  const files = (): Promise<readonly string[]> => readdir(join(folder, "saved")).catch(() => []);
  const get = (name: string, ...more: string[]): Promise<Ending> =>
    counter.genop(["assets", "get", name, "-d", join(folder, "saved"), ...more]);

  beforeAll(async () => {
    const { accessKeyId, bucket, endpoint, region, secretAccessKey } = counter.world.environment.s3;
    const s3 = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
    const key = `assets/${tenant}/key/attempt/output-0`;
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: BYTES }));
    s3.destroy();
    const done = { phase: "Succeeded", reason: "AssetsPublished", message: "1 asset published" };
    const uri = `s3://${bucket}/${key}`;
    await counter.task("pictured", { ...done, assets: [{ ...asset, uri }] });
    await counter.task("forged", { ...done, assets: [{ ...asset, uri, sha256: "0".repeat(64) }] });
    await counter.task("escaping", { ...done, assets: [{ ...asset, uri, name: "../escape" }] });
  });

  test("saves nothing that is not what the task made, nor outside of the folder", async () => {
    const forged = await get("forged");
    expect([forged.code, forged.err]).toEqual([1, expect.stringContaining("its size or checksum differs")]);
    expect((await get("escaping")).err).toContain("its name is no file name");
    expect(await files()).toEqual([]);
  });

  test("saves a file whole, leaves another one alone, and needs no second time", async () => {
    const path = join(folder, "saved", "output-0.png");
    expect(await get("pictured")).toEqual({ code: 0, out: `${path}\n`, err: "" });
    expect(sha256).toBe(
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
    );
    expect((await get("pictured", "--rest", "http://127.0.0.1:1")).code).toBe(0);
    await writeFile(path, "mine");
    expect((await get("pictured")).err).toContain("another file is there; say --force");
    expect((await get("pictured", "--force")).code).toBe(0);
    expect(await files()).toEqual(["output-0.png"]);
    await rm(path);
  });

  test("leaves nothing behind when it is interrupted half way", async () => {
    const stop = new AbortController();
    const slow = createServer((request, response) => {
      if (request.url?.startsWith("/v1/"))
        return void response
          .writeHead(302, { location: `http://127.0.0.1:${(slow.address() as AddressInfo).port}/bytes` })
          .end();
      response.writeHead(200).write(BYTES.subarray(0, 1_000_000), () => stop.abort(new Error("interrupted")));
    });
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    const variables = { GENOP_REST: `http://127.0.0.1:${(slow.address() as AddressInfo).port}` };
    const { code } = await counter.genop(["assets", "get", "pictured", "-d", join(folder, "saved")], {
      signal: stop.signal,
      variables,
    });
    slow.closeAllConnections();
    slow.close();
    expect([code, await files()]).toEqual([130, []]);
  });

  test("shows a bar on a terminal only", async () => {
    const { err } = await counter.genop(["assets", "get", "pictured", "-d", join(folder, "seen")], {
      isTerminal: true,
    });
    expect(err).toContain("[========================] 100 %  2.9 MiB of 2.9 MiB");
  });
});

describe("the bundled file, as kubectl's plugin", () => {
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const dist = join(folder, "bin");
    await finished(process.execPath, [join(ROOT, "cli", "build.mjs"), dist], { env: {} });
    const { kubectlPath } = counter.world.environment;
    const PATH = [dist, dirname(kubectlPath), dirname(process.execPath), process.env.PATH].join(delimiter);
    env = {
      PATH,
      HOME: folder,
      KUBECONFIG: counter.kubeconfigs.tenant,
      GENOP_EVIDENCE: `http://127.0.0.1:${counter.evidence.port}`,
    };
  });

  const plugin = (...words: string[]): Promise<Ending> =>
    finished(counter.world.environment.kubectlPath, words, { env });

  test("does as the sources do, with their exit codes", async () => {
    const { code, err, out } = await plugin("genop", "why", "lost", "-n", tenant);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("#2 NotCreated");
    const failed = await plugin("genop", "wait", "lost", "-n", tenant);
    expect([failed.code, failed.out]).toEqual([2, ""]);
  });

  test("completes by the protocol that kubectl's scripts of every shell speak", async () => {
    const words = await plugin("__complete", "genop", "wh");
    expect(words.out).toMatch(/^why\t.*\n:4\n$/s);
    const names = await plugin("__complete", "genop", "-n", tenant, "why", "los");
    expect(names.out).toBe("lost\n:4\n");
  });

  test("ends with 130 on Ctrl-C", async () => {
    const child = spawn(join(folder, "bin", "kubectl-genop"), ["list", "-w", "-n", tenant], { env });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.stdout.once("data", () => child.kill("SIGINT"));
    expect(await ended).toBe(130);
  });
});

function finished(
  program: string,
  words: readonly string[],
  { env }: { readonly env: Readonly<Record<string, string>> },
): Promise<Ending> {
  return new Promise((resolve) => {
    execFile(program, [...words], { env, timeout: 60_000 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}
