// `npm run test:api`: tries the running REST face against its own OpenAPI document with schemathesis, on the real API server.
// Fails, too, when an operation was not tried, or never answered with success. Installs it (Python 3, pip) into .cache once.
// Arguments are handed on, such as --max-examples 500.
import { execFileSync, spawn, type StdioOptions } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { applyObjects, installShim } from "../operator/installation.ts";
import { startEnvironment } from "../env/environment.ts";
import type { Environment } from "../env/environment.ts";
import { kubectl } from "../env/kubectl.ts";
import { startShim } from "../integration/api-shim/fixture.ts";
import { installDefinitions } from "../integration/crds/api-server.ts";
import { taskObject } from "../operator/tenancy.ts";
import { untriedIn } from "./untried.ts";

const VERSION = "4.32.5";
const FOLDER = join(import.meta.dirname, "..", "..", ".cache", `schemathesis-${VERSION}`);
const PROGRAM = join(FOLDER, "bin", "schemathesis");
const HOME = "genop-fuzz";
/** As schemathesis.toml names them. There is no operator beside it: what it would say of the task is said here. */
const [SUCCEEDED, ASSET] = ["succeeded", "output-0"];

/** No limit of ours is what is looked for, and a stream must end while somebody waits for it. */
const VARIABLES = {
  ...{ STREAM_SECONDS: "1", HEARTBEAT_SECONDS: "0.3", UNTAKEN_SECONDS: "3600" },
  ...{
    REQUESTS_PER_SECOND: "100000",
    REQUESTS_BURST: "100000",
    CREATES_PER_SECOND: "10000",
    CREATES_BURST: "100000",
    MAX_BACKLOG: "1000000",
    MAX_BACKLOG_PER_NAMESPACE: "1000000",
  },
};

function prepare(): void {
  if (existsSync(PROGRAM)) return;
  console.error(`installing schemathesis ${VERSION}`);
  const quiet: StdioOptions = ["ignore", 2, 2];
  execFileSync("python3", ["-m", "venv", FOLDER], { stdio: quiet });
  execFileSync(join(FOLDER, "bin", "pip"), ["install", "-q", `schemathesis==${VERSION}`], { stdio: quiet });
}

interface Run {
  readonly url: string;
  readonly token: string;
  readonly reportFile: string;
}

/** The exit code. Beside this process, which serves meanwhile. */
function attempt({ reportFile, token, url }: Run, more: readonly string[]): Promise<number> {
  const config = ["--config-file", join(import.meta.dirname, "schemathesis.toml")];
  const header = ["-H", `Authorization: Bearer ${token}`];
  const how = [
    "--phases",
    "coverage,fuzzing",
    "--max-examples",
    "30",
    "--request-timeout",
    "10",
    "--no-color",
    ...["--report", "json", "--report-json-path", reportFile],
    ...more,
  ];
  const child = spawn(PROGRAM, [...config, "run", `${url}/openapi.json`, ...header, ...how], {
    cwd: join(FOLDER, ".."), // it keeps notes where it is run
    env: { ...process.env, SCHEMATHESIS_HOOKS: join(import.meta.dirname, "hooks.py") },
    stdio: "inherit",
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** The exit code. */
function tellUntried(reportFile: string): number {
  const untried = untriedIn(JSON.parse(readFileSync(reportFile, "utf8")));
  for (const gap of untried) console.error(gap);
  return untried.length > 0 ? 1 : 0;
}

async function makeSucceeded(environment: Environment): Promise<void> {
  await applyObjects(environment, [taskObject({ namespace: HOME, name: SUCCEEDED, model: "sim-image" })]);
  const uri = `s3://${environment.s3.bucket}/assets/${HOME}/${SUCCEEDED}/attempt/${ASSET}`;
  const asset = { name: ASSET, uri, mediaType: "image/png", bytes: 16, sha256: "0".repeat(64) };
  const patch = { status: { phase: "Succeeded", assets: [asset] } };
  const target = ["generationtask", SUCCEEDED, "--namespace", HOME, "--subresource", "status"];
  await kubectl(environment, ["patch", ...target, "--type", "merge", "--patch", JSON.stringify(patch)]);
}

async function main(): Promise<number> {
  prepare();
  const environment = await startEnvironment({ postgres: false, provider: false });
  try {
    await installDefinitions(environment);
    await applyObjects(environment, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: HOME } }]);
    const { kubeconfigPath } = await installShim(environment, HOME);
    const shim = await startShim(environment, kubeconfigPath, VARIABLES);
    // Of an administrator: what is looked for is beyond the door.
    await applyObjects(environment, [
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: HOME, name: "tester" } },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "tester" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "ServiceAccount", namespace: HOME, name: "tester" }],
      },
    ]);
    await makeSucceeded(environment);
    const { token } = await environment.tokenFor(`${HOME}/tester`);
    const reportFile = join(environment.folder, "schemathesis.json");
    const status = await attempt({ url: shim.url, token, reportFile }, process.argv.slice(2));
    await shim.stop();
    return status === 0 ? tellUntried(reportFile) : status;
  } finally {
    await environment.stop();
  }
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
