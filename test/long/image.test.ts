// The program's folder of the image, far from the repository, so that nothing else is found: every role starts from it, what is read
// beside the bundle is there, and a signal ends a job as it ends a server.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { bundle, ROLES } from "../../image/bundle.ts";
import { ROOT } from "../docs/markdown.ts";
import { only, startEnvironment, type Environment } from "../env/environment.ts";

const LIMIT_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), "genop-image-"));
const app = join(folder, "app");
let environment: Environment;

beforeAll(async () => {
  await bundle(app);
  environment = await startEnvironment(only("postgres"));
}, LIMIT_MS);

afterAll(async () => {
  await environment.stop();
  rmSync(folder, { recursive: true, force: true });
}, LIMIT_MS);

type Variables = Readonly<Record<string, string>>;

/** As the image starts it. */
function run(args: readonly string[], env: Variables = {}): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(app, "start.mjs"), ...args], {
    ...{ cwd: app, env, encoding: "utf8", timeout: LIMIT_MS, input: "" },
  });
  return { status, text: stdout + stderr };
}

/** What each role says, and ends with, when it is told nothing. */
const UNTOLD: Readonly<Record<(typeof ROLES)[number], { readonly status: number; readonly says: string }>> = {
  "operator/main": { status: 78, says: "DATABASE_URL" },
  "operator/migrate": { status: 1, says: "MIGRATE_DATABASE_URL" },
  "operator/receive": { status: 78, says: "RECEIVER_DATABASE_URL" },
  "operator/evidence": { status: 78, says: "EVIDENCE_DATABASE_URL" },
  "operator/verify": { status: 2, says: "VERIFY_DATABASE_URL" },
  "operator/import-usage": { status: 64, says: "usage: DATABASE_URL" },
  "api-shim/main": { status: 78, says: "S3_BUCKET" },
};

test.each(ROLES)(
  "%s starts, and says what it needs",
  (role) => {
    const { status, text } = run([`${role}.ts`]);
    expect(text).toContain(UNTOLD[role].says);
    expect(status).toBe(UNTOLD[role].status);
  },
  LIMIT_MS,
);

test(
  "without a word it is the operator, and what is no role is refused",
  () => {
    expect(run([]).text).toBe(run(["operator/main.ts"]).text);
    expect(run(["operator/mian.ts"])).toEqual({
      status: 78,
      text: 'cannot start "operator/mian.ts": no role has this path, see operations/install\n',
    });
  },
  LIMIT_MS,
);

test(
  "the migrations are there: the job brings the schema",
  async () => {
    const url = await environment.postgres.makeDatabase("from_the_image", {});
    const { status, text } = run(["operator/migrate.ts"], { MIGRATE_DATABASE_URL: url });
    expect(text).toMatch(/^applied 0001_/);
    expect(status).toBe(0);
  },
  LIMIT_MS,
);

test(
  "the definitions, the page, the thread that inspects files and its WebAssembly are there",
  () => {
    for (const pattern of ["crds/*.yaml", "api-shim/page/*"]) {
      expect(globSync(pattern, { cwd: app }).sort()).toEqual(globSync(pattern, { cwd: ROOT }).sort());
    }
    const ask = `const { Worker } = require("node:worker_threads");
    const worker = new Worker("./operator/inspect-worker.js", { env: {} });
    worker.on("message", ({ kind }) => { console.log(kind); process.exit(); });
    worker.postMessage({ kind: "begin" });`;
    const { stdout } = spawnSync(process.execPath, ["-e", ask], { cwd: app, encoding: "utf8", timeout: LIMIT_MS });
    expect(stdout).toBe("ready\n");
  },
  LIMIT_MS,
);

/** With what it needs to begin, and nothing behind it. */
function begin(role: string, env: Variables, args: readonly string[] = []): ChildProcess {
  const stdio: ["pipe", "pipe", "pipe"] = ["pipe", "pipe", "pipe"];
  return spawn(process.execPath, [join(app, "start.mjs"), role, ...args], { cwd: app, env, stdio });
}

/** None of them answers. */
const WITHOUT_STORES = {
  ...{ DATABASE_URL: "postgres://nobody@127.0.0.1:1/x", S3_BUCKET: "outputs", S3_ENDPOINT: "http://127.0.0.1:1" },
  ...{ AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", HTTP_HOST: "127.0.0.1", HTTP_PORT: "0" },
};

function kubeconfig(): string {
  const path = join(folder, "kubeconfig");
  const cluster = { server: "https://127.0.0.1:1", "insecure-skip-tls-verify": true };
  const context = { cluster: "c", user: "u", namespace: "genop-system" };
  const named = (key: string, value: object): object => ({ name: key === "context" ? "x" : key[0], [key]: value });
  const config = { clusters: [named("cluster", cluster)], users: [named("user", { token: "t" })] };
  writeFileSync(path, JSON.stringify({ ...config, contexts: [named("context", context)], "current-context": "x" }));
  return path;
}

const untilItSays = async (child: ChildProcess, word: string): Promise<void> => {
  let text = "";
  for await (const piece of child.stdout ?? []) {
    text += String(piece);
    if (text.includes(word)) return;
  }
  throw new Error(`it ended without a word of ${word}`);
};

describe("SIGTERM", () => {
  test(
    "ends a server in good order",
    async () => {
      const child = begin("operator/main.ts", { ...WITHOUT_STORES, KUBECONFIG: kubeconfig() });
      const ended = once(child, "exit");
      await untilItSays(child, "start.waiting");
      child.stdout?.resume();
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    },
    LIMIT_MS,
  );

  test(
    "ends a job, which has no say about it, as a first process must say itself",
    async () => {
      // It reads the bill from its standard input, which does not end.
      const tell = 'process.on("newListener", (name) => name === "SIGTERM" && process.stdout.write("listens\\n"))';
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(tell)}`;
      const env = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/x", NODE_OPTIONS };
      const child = begin("operator/import-usage.ts", env, ["acme"]);
      const ended = once(child, "exit");
      await untilItSays(child, "listens");
      child.kill("SIGTERM");
      expect(await ended).toEqual([143, null]);
    },
    LIMIT_MS,
  );
});

test(
  "made again, it is the same to the byte",
  async () => {
    const other = join(folder, "again");
    await bundle(other);
    const digests = (of: string): readonly string[] =>
      globSync("**/*", { cwd: of, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => `${path.slice(of.length)} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`)
        .sort();
    const first = digests(app);
    expect(first.length).toBeGreaterThan(40);
    expect(digests(other)).toEqual(first);
  },
  LIMIT_MS,
);
